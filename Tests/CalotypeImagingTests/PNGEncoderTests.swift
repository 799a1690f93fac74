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

  @Test(arguments: EncodeOptions.Effort.allCases) func depthSurvives(_ effort: EncodeOptions.Effort) throws {
    var options = EncodeOptions.png
    options.effort = effort
    for format in [PixelFormat.rgba16, .gray8] {
      for alpha in [UInt8(255), 77] {
        let bitmap = try Bitmap(size: PixelSize(width: 37, height: 9), format: format) { bytes in
          for index in bytes.indices {
            bytes[index] =
              format == .rgba16 && index % 8 > 5 ? alpha : UInt8(truncatingIfNeeded: index * index)
          }
          return false
        }
        let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: options)
        #expect(data[25] == (format == .gray8 ? 0 : alpha == 255 ? 2 : 6))
        let decoded = try PNGDecoder().decode(
          data, minimumSize: nil, options: DecodeOptions(pixels: .native))
        #expect(decoded.bitmap == bitmap)
      }
    }
  }

  @Test func palettesAreWritten() throws {
    var options = EncodeOptions.png
    options.usesPalette = true
    for (colors, depth) in [(2, 1), (4, 2), (16, 4), (17, 8), (256, 8)] {
      let bitmap = try bitmap(33, 41) { x, y in
        let index = (x + y * 33) % colors
        return [UInt8(index), UInt8(255 - index), 9, index % 5 == 1 ? 100 : 255]
      }
      let data = try PNGEncoder().encode(Image(bitmap: bitmap), options: options)
      #expect(data[24] == UInt8(depth) && data[25] == 3, "\(colors) colours")
      #expect(try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions()).bitmap == bitmap)
    }
    let many = try bitmap(64, 64) { x, y in noise(x, y, alpha: 255) }
    let data = try PNGEncoder().encode(Image(bitmap: many), options: options)
    #expect(data[25] == 3)
    #expect(try PNGDecoder().probe(data, limits: .default).size == many.size)
  }

  @Test func whatIsKeptIsWritten() throws {
    let bitmap = try bitmap(2, 2) { x, y in noise(x, y, alpha: 255) }
    let profiles: [ColorProfile] = [
      .sRGB, .icc(try Fixture.data("Metadata/DisplayP3-v4.icc")), .calibrated(.init(gamma: 0.5)),
      .calibrated(
        .init(
          gamma: 0.45455, white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.64, y: 0.33),
          green: .init(x: 0.21, y: 0.71), blue: .init(x: 0.15, y: 0.06))),
    ]
    let xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
    for profile in profiles {
      let image = Image(bitmap: bitmap, profile: profile, metadata: ImageMetadata(xmp: xmp))
      var options = EncodeOptions.png
      let bare = try PNGDecoder().decode(
        try PNGEncoder().encode(image, options: options), minimumSize: nil,
        options: DecodeOptions(readsMetadata: true))
      #expect(bare.profile == nil && bare.metadata == ImageMetadata())
      options.keeps = [.icc, .xmp]
      let kept = try PNGDecoder().decode(
        try PNGEncoder().encode(image, options: options), minimumSize: nil,
        options: DecodeOptions(readsMetadata: true))
      #expect(kept.profile == profile)
      #expect(kept.metadata.xmp == xmp)
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
