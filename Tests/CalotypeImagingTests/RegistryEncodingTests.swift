import CalotypeImaging
import FoundationEssentials
import Testing

/// Sizes of what is encoded, and animations.
@Suite("Registry: encoding")
struct RegistryEncodingTests {
  static let coders = CoderRegistry.standard

  static func picture(_ side: Int) throws -> Bitmap {
    var state: UInt32 = 7
    return try OrientationTests.bitmap(PixelSize(width: side, height: side / 2)) { x, y in
      state = state &* 1_664_525 &+ 1_013_904_223
      return 0xFF00_0000 | UInt32(x * 2 & 255) | UInt32(y * 3 & 255) << 8 | (state >> 28) << 20
    }
  }

  @Test(
    "at most so many bytes, at the best quality that fits",
    arguments: [EncodeOptions.jpeg(quality: 95), .webp(quality: 95)])
  func fileSize(options: EncodeOptions) throws {
    let image = Image(bitmap: try Self.picture(128))
    let full = try Self.coders.encode(image, as: options).count
    var limited = options
    limited.maxFileSize = full
    #expect(try Self.coders.encode(image, as: limited).count == full)
    limited.maxFileSize = full * 2 / 3
    let fitted = try Self.coders.encode(image, as: limited)
    #expect(fitted.count <= full * 2 / 3)
    #expect(fitted.count > full / 3)
    limited.maxFileSize = 50
    let error = #expect(throws: ImagingError.self) { try Self.coders.encode(image, as: limited) }
    #expect(error?.code == "cannotFit")
    var lossless = EncodeOptions.png
    lossless.maxFileSize = 50
    let other = #expect(throws: ImagingError.self) { try Self.coders.encode(image, as: lossless) }
    #expect(other?.code == "cannotFit")
    lossless.maxFileSize = 0
    #expect(throws: ImagingError.invalidParameter(name: "maxFileSize", reason: "0 is below 1")) {
      try Self.coders.encode(image, as: lossless)
    }
  }

  @Test("the smallest file, if the limit is not required")
  func bestEffort() throws {
    let image = Image(bitmap: try Self.picture(128))
    for wanted in [EncodeOptions.jpeg(quality: 95), .webp(quality: 95), .png] {
      let full = try Self.coders.encode(image, as: wanted).count
      var least = wanted
      least.quality = 0
      let smallest = try Self.coders.encode(image, as: least).count
      var limited = wanted
      limited.requiresMaxFileSize = false
      limited.maxFileSize = 50
      #expect(try Self.coders.encode(image, as: limited).count == min(smallest, full))
      // A limit that can be met is met as otherwise.
      limited.maxFileSize = full * 2 / 3
      var strict = limited
      strict.requiresMaxFileSize = true
      let data = try Self.coders.encode(image, as: limited)
      if let expected = try? Self.coders.encode(image, as: strict) { #expect(data == expected) }
    }
  }

  @Test("the first frames of an animation, at least one")
  func prefixes() throws {
    let bitmaps = try (0..<5).map { index in
      try ResamplePictures.make(2, 2) { _, _ in [UInt8(index), 0, 0, 255] }
    }
    let animation = AnimationSource(frameCount: 5, loopCount: 3) { index in
      .init(bitmap: bitmaps[index], duration: .seconds(1))
    }
    for (count, expected) in [(2, 2), (5, 5), (9, 5), (1, 1), (0, 1), (-7, 1), (Int.max, 5)] {
      let part = animation.prefix(count)
      #expect(part.frameCount == expected && part.loopCount == 3)
      #expect(try part.frame(expected - 1).bitmap == animation.frame(expected - 1).bitmap)
    }
  }

  @Test("at most so many pixels, never more than there are")
  func pixelSize() throws {
    let image = Image(bitmap: try Self.picture(128), orientation: .rightTop)
    var options = EncodeOptions.png
    options.maxPixelSize = 32
    #expect(
      try Self.coders.probe(Self.coders.encode(image, as: options)).size == PixelSize(width: 16, height: 32))
    options.maxPixelSize = 1000
    #expect(
      try Self.coders.probe(Self.coders.encode(image, as: options)).size == PixelSize(width: 64, height: 128))
  }

  @Test("animations go from format to format")
  func animation() throws {
    let data = try Fixture.data("webp/gen-delays.webp")
    let animation = try AnimatedImage(data: data)
    let bytes = try Self.coders.encode(animation, as: EncodeOptions(format: .apng))
    let again = try AnimatedImage(data: bytes)
    #expect(again.info.format == .apng)
    #expect(again.frameCount == animation.frameCount && again.loopCount == animation.loopCount)
    for index in 0..<animation.frameCount {
      #expect(try again.frame(at: index).bitmap == animation.frame(at: index).bitmap)
      // Above 65,535 ms APNG counts in coarser units.
      let (written, wanted) = (
        again.duration(of: index).wholeMilliseconds, animation.duration(of: index).wholeMilliseconds
      )
      #expect(abs(written - wanted) <= (wanted > 65_535 ? 1000 : 0))
    }
    let error = #expect(throws: ImagingError.self) { try Self.coders.encode(animation, as: .jpeg()) }
    #expect(error?.code == "unsupportedFormat")
  }

  @Test("one frame becomes a still image; frames of two sizes become none")
  func sources() throws {
    let (small, large) = (try Self.picture(8), try Self.picture(16))
    let one = AnimationSource(frameCount: 1, loopCount: 0) { _ in
      .init(bitmap: small, duration: .milliseconds(10))
    }
    #expect(try Self.coders.probe(Self.coders.encode(one, as: .jpeg())).frameCount == 1)
    let mixed = AnimationSource(frameCount: 2, loopCount: 0) {
      .init(bitmap: $0 == 0 ? small : large, duration: .milliseconds(50))
    }
    let error = #expect(throws: ImagingError.self) {
      try Self.coders.encode(mixed, as: EncodeOptions(format: .apng))
    }
    #expect(error?.code == "invalidParameter")
    let none = AnimationSource(frameCount: 0, loopCount: 0) { _ in
      .init(bitmap: small, duration: .milliseconds(50))
    }
    #expect(throws: ImagingError.self) { try Self.coders.encode(none, as: EncodeOptions(format: .apng)) }
  }
}
