import CalotypeImaging
import FoundationEssentials
import Testing

@Suite("Bitmap: bytes in and out")
struct BitmapBytesTests {
  @Test("rgba, bgra and rgb become the same pixels; padding is skipped")
  func layouts() throws {
    let rgba: [UInt8] = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255]
    let expected = try Bitmap(rgba: rgba, width: 2, height: 2)
    #expect(expected.format == .rgba8 && expected.isOpaque)
    #expect(expected.withUnsafeBytes { Array($0) } == rgba)
    let bgra: [UInt8] = [3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255, 12, 11, 10, 255]
    #expect(try Bitmap(bgra: bgra, width: 2, height: 2) == expected)
    let rgb = Data([1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12])
    let padded = try Bitmap(rgb: rgb, width: 2, height: 2, bytesPerRow: 8)
    #expect(padded == expected && padded.isOpaque)
  }

  @Test("premultiplied colours are divided by alpha and rounded")
  func premultiplied() throws {
    let bitmap = try Bitmap(
      rgba: [64, 128, 10, 128, 9, 9, 9, 0] as [UInt8], width: 2, height: 1, isPremultiplied: true)
    #expect(bitmap.withUnsafeBytes { Array($0) } == [128, 255, 20, 128, 0, 0, 0, 0])
    #expect(!bitmap.isOpaque)
  }

  @Test("too few bytes, short rows and empty sizes are refused")
  func refusals() {
    func reason(_ body: () throws(ImagingError) -> Bitmap) -> String? {
      do throws(ImagingError) {
        _ = try body()
        return nil
      } catch {
        guard case .invalidParameter(let name, _) = error else { return error.code }
        return name
      }
    }
    let bytes = [UInt8](repeating: 0, count: 15)
    #expect(reason { () throws(ImagingError) in try Bitmap(rgba: bytes, width: 2, height: 2) } == "bytes")
    #expect(
      reason { () throws(ImagingError) in try Bitmap(rgba: bytes, width: 2, height: 1, bytesPerRow: 7) }
        == "bytesPerRow")
    #expect(reason { () throws(ImagingError) in try Bitmap(rgb: bytes, width: 0, height: 2) } == "size")
    #expect(
      reason { () throws(ImagingError) in try Bitmap(bgra: bytes, width: .max, height: 2) } == "bytesPerRow")
  }
}
