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

  @Test(
    "colours: lossless pixels keep their profile, and lossy ones look the same",
    arguments: ["DisplayP3-v4", "AdobeCompat-v2"])
  func profile(name: String) throws {
    let profile = ColorProfile.icc(try Fixture.data("Metadata/\(name).icc"))
    let image = Image(bitmap: try SampleImages.bitmap(width: 64, height: 48), profile: profile)
    func decoded(_ options: EncodeOptions) throws -> Image {
      var options = options
      options.keeps = [.icc]
      return try Self.decode(image.encoded(as: options))
    }
    let lossless = try decoded(.jxlLossless)
    #expect(lossless.profile == profile && lossless.bitmap == image.bitmap)
    let lossy = try decoded(.jxl(quality: 97))
    let expected = try image.convertedToSRGB().bitmap
    #expect(Self.meanDifference(try lossy.convertedToSRGB().bitmap, expected) < 3)
    // Without the conversion there is a difference.
    #expect(Self.meanDifference(image.bitmap, expected) > 3)
  }

  private static func meanDifference(_ a: Bitmap, _ b: Bitmap) -> Double {
    var sum = 0
    a.withUnsafeBytes { x in
      b.withUnsafeBytes { y in
        for index in 0..<min(x.count, y.count) { sum += abs(Int(x[index]) - Int(y[index])) }
      }
    }
    return Double(sum) / Double(max(1, a.byteCount))
  }
}

extension Bitmap {
  /// Returns the pixels of a square of 128 pixels.
  fileprivate func region(_ x: Int, _ y: Int) throws -> [UInt8] {
    var samples: [UInt8] = []
    withUnsafeBytes { pixels in
      for row in y..<y + 128 {
        let start = row * bytesPerRow + 4 * x
        samples += pixels[start..<start + 512]
      }
    }
    return samples
  }
}
#endif
