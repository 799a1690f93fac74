#if JXL
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("JPEG XL: decoding")
struct JXLDecoderTests {
  private static func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(ImagingError)
    -> Image
  {
    try JXLDecoder().decode(data, minimumSize: nil, options: options)
  }

  @Test("a file in two parts of another encoder, whole and cut")
  func fixture() throws {
    let data = try Fixture.data("described/gen-jxlp-two-parts.jxl")
    let image = try Self.decode(data)
    #expect(image.size == PixelSize(width: 40, height: 30) && image.bitmap.isOpaque)
    #expect(try image.info == CoderRegistry.standard.probe(data))
    #expect(CoderRegistry.standard.decodableFormats.contains(.jxl))
    for count in 0..<data.count {
      let error = #expect(throws: ImagingError.self) { try CoderRegistry.standard.decode(data.prefix(count)) }
      #expect(error?.blamesInput ?? false)
    }
  }

  @Test("native pixels: grey, deep, and as ever", arguments: [PixelFormat.gray8, .rgba16, .rgba8])
  func native(format: PixelFormat) throws {
    let bitmap = try SampleImages.bitmap(width: 33, height: 21).converted(to: format)
    let data = try Image(bitmap: bitmap).encoded(as: .jxlLossless)
    let image = try Self.decode(data, DecodeOptions(pixels: .native))
    #expect(image.bitmap == bitmap)
    #expect(try Self.decode(data).bitmap == bitmap.converted(to: .rgba8))
    #expect(image.info?.bitDepth == (format == .rgba16 ? 16 : 8))
  }

  @Test("rows that come group by group give the thumbnail of the whole picture")
  func rows() throws {
    // More than three groups in both directions, and more than streaming needs.
    let bitmap = try SampleImages.bitmap(width: 2100, height: 2050)
    let thumbnail = Thumbnail.fit(width: 130, height: 130)
    let options = DecodeOptions(thumbnail: thumbnail)
    for encoding in [EncodeOptions.jxl(quality: 90), .jxlLossless] {
      var encoding = encoding
      encoding.effort = .fast
      let data = try Image(bitmap: bitmap).encoded(as: encoding)
      let info = try JXLDecoder().probe(data, limits: .default)
      let shrinker = RowShrinker([thumbnail], of: info, options: options)
      let image = try JXLDecoder().decode(data, minimumSize: nil, options: options, shrinkingBy: shrinker)
      #expect(shrinker.isUsed)
      let whole = try Self.decode(data)
      let expected = try whole.bitmap.shrunk(to: thumbnail, sourceSize: info.size, orientation: .topLeft)
      #expect(image.bitmap == expected)
    }
  }

  @Test("a partial image has what is there; the rest is transparent")
  func partial() throws {
    let bitmap = try SampleImages.bitmap(width: 600, height: 600)
    let data = try Image(bitmap: bitmap).encoded(as: .jxl())
    let options = DecodeOptions(allowsPartial: true)
    let cut = data.prefix(data.count * 3 / 4)
    #expect(throws: ImagingError.truncated(.jxl, byteCount: cut.count)) { try Self.decode(cut) }
    let image = try Self.decode(cut, options)
    #expect(image.isPartial && image.size == bitmap.size)
    let whole = try Self.decode(data)
    // The first group is there.
    #expect(try image.bitmap.region(0, 0) == whole.bitmap.region(0, 0))
    #expect(image.bitmap != whole.bitmap)
  }

  @Test("colours: a profile is handed over, and applied on request")
  func profile() throws {
    let profile = try #require(try Self.decode(Self.withProfile(isLossless: true)).profile)
    #expect(profile == .icc(try Fixture.data("Metadata/DisplayP3-v4.icc")))
    // Of XYB the library converts.
    let lossy = try Self.decode(Self.withProfile(isLossless: false))
    #expect(lossy.profile == nil)
    let lossless = try Self.decode(Self.withProfile(isLossless: true)).convertedToSRGB()
    #expect(Self.meanDifference(lossy.bitmap, lossless.bitmap) < 2)
  }

  private static func withProfile(isLossless: Bool) throws -> Data {
    let image = Image(
      bitmap: try SampleImages.bitmap(width: 64, height: 48),
      profile: .icc(try Fixture.data("Metadata/DisplayP3-v4.icc")))
    var options = EncodeOptions(format: .jxl, quality: 97, isLossless: isLossless)
    options.keeps = [.icc]
    return try image.encoded(as: options)
  }

  private static func meanDifference(_ a: Bitmap, _ b: Bitmap) -> Double {
    a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in
        Double(zip(x, y).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(max(1, x.count))
      }
    }
  }
}

extension Bitmap {
  /// Returns the pixels of a square of 128 pixels.
  fileprivate func region(_ x: Int, _ y: Int) throws -> [UInt8] {
    withUnsafeBytes { pixels in
      (y..<y + 128).flatMap { row -> [UInt8] in
        let start: Int = row * bytesPerRow + 4 * x
        return Array(pixels[start..<start + 4 * 128])
      }
    }
  }
}
#endif
