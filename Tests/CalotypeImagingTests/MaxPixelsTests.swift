import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Pictures that are shrunk to a number of pixels while they are decoded.
@Suite("Most pixels of a picture")
struct MaxPixelsTests {
  private static func picture(_ width: Int, _ height: Int) throws -> Image {
    Image(
      bitmap: try OrientationTests.bitmap(PixelSize(width: width, height: height)) { x, y in
        UInt32(x * 255 / width) | UInt32(y * 255 / height) << 8 | UInt32((x ^ y) & 255) << 16 | 255 << 24
      })
  }

  private static let formats: [EncodeOptions] = [.jpeg(), .init(format: .png), .init(format: .gif), .webp()]

  // MARK: The size

  @Test func sizesKeepTheirProportionsBelowTheLimit() {
    func size(_ width: Int, _ height: Int, _ limit: Int) -> PixelSize {
      PixelSize(width: width, height: height).shrunk(toPixelCount: limit)
    }
    #expect(size(400, 300, 120_000) == PixelSize(width: 400, height: 300))
    #expect(size(400, 300, 119_999) == PixelSize(width: 399, height: 299))
    #expect(size(400, 300, 1_200) == PixelSize(width: 40, height: 30))
    #expect(size(400, 300, 1_199) == PixelSize(width: 39, height: 29))
    #expect(size(300, 400, 1_199) == PixelSize(width: 29, height: 39))
    #expect(size(100_000, 1, 1_000) == PixelSize(width: 1_000, height: 1))
    #expect(size(2, 90_000, 1_000) == PixelSize(width: 1, height: 1_000))
    #expect(size(5, 4, 1) == PixelSize(width: 1, height: 1))
    #expect(size(5, 4, 0) == PixelSize(width: 1, height: 1))
    #expect(size(5, 4, .min) == PixelSize(width: 1, height: 1))
    #expect(size(.max, .max, .max) == PixelSize(width: .max, height: .max))
    #expect(size(.max, .max, 1 << 40) == PixelSize(width: 1 << 20, height: 1 << 20))
    #expect(size(0, 4, 1) == PixelSize(width: 0, height: 4))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func sizesAreWithinTheirLimits(seed: UInt64) {
    var random = RepeatableNumbers(state: seed)
    for _ in 0..<500 {
      let source = PixelSize(
        width: Int(random.next() % (1 << (1 + random.next() % 31))) + 1,
        height: Int(random.next() % (1 << (1 + random.next() % 31))) + 1)
      let limit = Int(random.next() % (1 << (1 + random.next() % 40))) + 1
      let size = source.shrunk(toPixelCount: limit)
      #expect(size.width >= 1 && size.height >= 1 && size.pixelCount <= max(limit, 1))
      #expect(size.width <= source.width && size.height <= source.height)
      #expect(source.transposed.shrunk(toPixelCount: limit) == size.transposed)
      if source.pixelCount <= limit { #expect(size == source) }
      // One more pixel on a side is too many, or more than there were.
      if source.pixelCount > limit, size.width > 1, size.height > 1 {
        let ideal = (Double(limit) * Double(source.width) / Double(source.height)).squareRoot()
        #expect(
          Double(size.width) <= ideal * 1.000_001 && Double(size.width) > ideal - 1.000_01 - ideal * 1e-6)
      }
    }
  }

  // MARK: Pictures

  @Test(arguments: formats)
  func picturesOfAllFormats(format: EncodeOptions) throws {
    let data = try Self.picture(200, 150).encoded(as: format)
    for limit in [1, 2, 149, 7_500, 29_999] {
      let image = try CoderRegistry.standard.decode(data, options: DecodeOptions(maxPixels: limit))
      #expect(image.bitmap.size == PixelSize(width: 200, height: 150).shrunk(toPixelCount: limit))
      #expect(image.bitmap.size.pixelCount <= limit)
    }
    let full = try CoderRegistry.standard.decode(data)
    for limit in [30_000, 30_001, .max] {
      #expect(
        try CoderRegistry.standard.decode(data, options: DecodeOptions(maxPixels: limit)).bitmap
          == full.bitmap)
    }
  }

  @Test(arguments: formats)
  func allWaysAgree(format: EncodeOptions) throws {
    let data = try Self.picture(123, 77).encoded(as: format)
    for options in [
      DecodeOptions(maxPixels: 2_000),
      DecodeOptions(thumbnail: .fill(width: 50, height: 60), maxPixels: 2_000),
      DecodeOptions(maxPixels: 2_000, transforms: [.resize(width: 80, height: 80)]),
    ] {
      let whole = try CoderRegistry.standard.decode(data, options: options).bitmap
      #expect(whole.size.pixelCount <= 2_000)
      #expect(try ThumbnailStreamTests.whole(data, options).bitmap == whole)
      #expect(try AnimatedImage(data: data, options: options).frame(at: 0).bitmap == whole)
      let decoder = CoderRegistry.standard.makeIncrementalDecoder(options: options)
      for start in stride(from: 0, to: data.count, by: 700) {
        try decoder.append(data.dropFirst(start).prefix(700))
        if let preview = try decoder.snapshot() { #expect(preview.bitmap.size == whole.size) }
      }
      #expect(try decoder.finish().bitmap == whole)
    }
  }

  @Test func framesOfAnimations() throws {
    let data = try Fixture.data("Corpus/gif/animated/beacon.gif")
    let full = try AnimatedImage(data: data)
    let limit = full.info.size.pixelCount / 5
    let animation = try AnimatedImage(data: data, options: DecodeOptions(maxPixels: limit))
    #expect(animation.frameCount == full.frameCount && animation.frameCount > 1)
    for index in 0..<min(4, animation.frameCount) {
      let frame = try animation.frame(at: index).bitmap
      #expect(frame.size == full.info.size.shrunk(toPixelCount: limit))
      #expect(frame == (try full.frame(at: index).bitmap.resampled(to: frame.size)))
    }
  }

  @Test(arguments: Orientation.allCases)
  func orientationDoesNotMatter(orientation: Orientation) {
    let info = ImageInfo(format: .jpeg, size: PixelSize(width: 640, height: 90), orientation: orientation)
    let upright = DecodeOptions(maxPixels: 1_001).decodedThumbnail(for: info)
    let stored = DecodeOptions(appliesOrientation: false, maxPixels: 1_001).decodedThumbnail(for: info)
    #expect(stored?.box == info.size.shrunk(toPixelCount: 1_001))
    #expect(upright?.box == stored.map { orientation.apply(to: $0.box) })
  }

  @Test func turnedFiles() throws {
    let data = try Fixture.data("Corpus/png/exif/f-orientation-6.png")
    let upright = try CoderRegistry.standard.decode(data, options: DecodeOptions(maxPixels: 20)).bitmap
    let stored = try CoderRegistry.standard.decode(
      data, options: DecodeOptions(appliesOrientation: false, maxPixels: 20)
    ).bitmap
    #expect(upright.size == stored.size.transposed && upright.size.pixelCount <= 20)
  }

  // MARK: With a thumbnail

  private static func size(_ thumbnail: Thumbnail?, _ limit: Int, of width: Int, _ height: Int) throws
    -> PixelSize?
  {
    let source = PixelSize(width: width, height: height)
    return try Thumbnail.limited(thumbnail, of: source, toPixelCount: limit)?.geometry(for: source).size
  }

  @Test func theSmallerOneWins() throws {
    // As it is, where that is small enough.
    for thumbnail in [
      Thumbnail.fit(width: 100, height: 100), .fill(width: 60, height: 20), .stretch(width: 9, height: 90),
    ] {
      #expect(
        Thumbnail.limited(thumbnail, of: PixelSize(width: 400, height: 300), toPixelCount: 7_500) == thumbnail
      )
    }
    #expect(
      try Self.size(.fit(width: 100, height: 100), 7_499, of: 400, 300) == PixelSize(width: 99, height: 74))
    #expect(try Self.size(.fit(width: 100), 1_200, of: 400, 300) == PixelSize(width: 40, height: 30))
    #expect(try Self.size(.fill(width: 100), 1_200, of: 400, 300) == PixelSize(width: 40, height: 30))
    #expect(
      try Self.size(.fill(width: 100, height: 100), 400, of: 400, 300) == PixelSize(width: 20, height: 20))
    #expect(
      try Self.size(.stretch(width: 100, height: 25), 100, of: 400, 300) == PixelSize(width: 20, height: 5))
    #expect(
      try Self.size(.fit(width: 1_000, height: 1_000), 1_200, of: 400, 300)
        == PixelSize(width: 40, height: 30))
    var outside = Thumbnail.fit(width: 50, height: 50)
    outside.mode = .outside
    #expect(try Self.size(outside, 1_200, of: 400, 300) == PixelSize(width: 40, height: 30))
    #expect(
      try Self.size(.fit(width: 1_000, height: 1_000), 1_200, of: 30, 40) == PixelSize(width: 30, height: 40))
    #expect(try Self.size(nil, 1_200, of: 30, 40) == nil)
  }

  @Test func cutsShowTheSame() throws {
    let source = PixelSize(width: 400, height: 300)
    var thumbnail = Thumbnail.fill(width: 100, height: 100)
    thumbnail.anchor = .left
    let limited = try #require(Thumbnail.limited(thumbnail, of: source, toPixelCount: 400))
    #expect(limited.mode == .fill && limited.anchor == .left)
    #expect(try limited.geometry(for: source).region == thumbnail.geometry(for: source).region)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func anyThumbnailIsWithinBoth(seed: UInt64) throws {
    var random = RepeatableNumbers(state: seed)
    func side() -> Int { Int(random.next() % (1 << (1 + random.next() % 12))) + 1 }
    for _ in 0..<300 {
      let source = PixelSize(width: side(), height: side())
      let modes = Thumbnail.Mode.allCases
      let thumbnail = Thumbnail(
        box: PixelSize(width: side(), height: random.next() % 4 == 0 ? 0 : side()),
        mode: modes[Int(random.next() % UInt64(modes.count))])
      let limit = side() * side()
      let asked = try thumbnail.geometry(for: source).size
      let limited = try #require(Thumbnail.limited(thumbnail, of: source, toPixelCount: limit))
      let size = try limited.geometry(for: source).size
      #expect(size.pixelCount <= limit && size.width <= asked.width + 1 && size.height <= asked.height + 1)
      if asked.pixelCount <= limit { #expect(limited == thumbnail) }
      // What is limited is so once and for all.
      #expect(Thumbnail.limited(limited, of: source, toPixelCount: limit) == limited)
    }
  }

  @Test func optionsThatMakeNoSense() throws {
    let data = try Self.picture(4, 4).encoded(as: .init(format: .png))
    for limit in [0, -1] {
      #expect(throws: ImagingError.invalidParameter(name: "maxPixels", reason: "\(limit) is below 1")) {
        try CoderRegistry.standard.decode(data, options: DecodeOptions(maxPixels: limit))
      }
    }
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(data, options: DecodeOptions(maxPixels: 100, pixels: .native))
    }
  }
}
