import CalotypeImaging
import Testing

@Suite("Bitmap: the span")
struct BitmapSpanTests {
  @Test("the span has all bytes")
  func span() throws {
    let bitmap = try Bitmap(rgba: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt8], width: 1, height: 2)
    let bytes: RawSpan = bitmap.bytes
    let count = bytes.byteCount
    #expect(count == 8)
    var values: [UInt8] = []
    for offset in 0..<count { values.append(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) }
    #expect(values == [1, 2, 3, 4, 5, 6, 7, 8])
  }
}
