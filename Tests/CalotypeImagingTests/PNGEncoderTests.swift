import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct PNGEncoderTests {
  private func bitmap(
    _ width: Int, _ height: Int, isOpaque: Bool = false, _ pixel: (Int, Int) -> [UInt8]
  ) throws(ImagingError) -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes throws(ImagingError) in
      for y in 0..<height {
        for x in 0..<width {
          for (channel, value) in pixel(x, y).enumerated() { bytes[(y * width + x) * 4 + channel] = value }
        }
      }
      return isOpaque
    }
  }

  private func noise(_ x: Int, _ y: Int, alpha: UInt8?) -> [UInt8] {
    let value = (x &* 2_654_435_761 ^ y &* 40503) >> 7
    let color = [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    return color + [alpha ?? UInt8(truncatingIfNeeded: value >> 24)]
  }

  @Test(arguments: [(1, 1), (2, 3), (257, 1), (1, 300), (190, 131)])
  func pixelsSurvive(_ width: Int, _ height: Int) throws {
    for alpha in [nil, 255, 0] as [UInt8?] {
      let bitmap = try bitmap(width, height) { x, y in noise(x, y, alpha: alpha) }
      let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
      let decoded = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      #expect(decoded.bitmap == bitmap)
    }
  }

  @Test func opaquePixelsAreWrittenWithoutAlpha() throws {
    let options = EncodeOptions.png
    let colorType = { (data: Data) in data[25] }
    let found = try bitmap(30, 20) { x, y in noise(x, y, alpha: 255) }
    #expect(colorType(try PNGEncoder().encode(Image(bitmap: found), options: options)) == 2)
    let told = try bitmap(30, 20, isOpaque: true) { x, y in noise(x, y, alpha: 255) }
    #expect(colorType(try PNGEncoder().encode(Image(bitmap: told), options: options)) == 2)
    let last = try bitmap(30, 20) { x, y in noise(x, y, alpha: x == 29 && y == 19 ? 254 : 255) }
    #expect(colorType(try PNGEncoder().encode(Image(bitmap: last), options: options)) == 6)
  }

  @Test func smoothPixelsAreCompressed() throws {
    let bitmap = try bitmap(256, 256) { x, y in [UInt8(x), UInt8(y), UInt8((x + y) / 2), 255] }
    let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
    // 196,608 bytes of samples; without filters zlib makes some 100,000 of them.
    #expect(data.count < 4000)
  }

  @Test func orientationIsKept() throws {
    let bitmap = try bitmap(2, 2) { x, y in noise(x, y, alpha: 255) }
    for orientation in Orientation.allCases {
      let image = Image(bitmap: bitmap, orientation: orientation)
      let data = try PNGEncoder().encode(image, options: .png)
      #expect(try PNGDecoder().probe(data, limits: .default).orientation == orientation)
    }
  }

  @Test func cancellationIsSeen() async throws {
    let bitmap = try bitmap(8, 8) { x, y in noise(x, y, alpha: 255) }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try PNGEncoder().encode(Image(bitmap: bitmap), options: .png)
    }
    await #expect(throws: ImagingError.cancelled) { try await task.value }
  }
}
