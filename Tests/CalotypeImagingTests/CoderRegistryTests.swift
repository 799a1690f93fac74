import CalotypeImaging
import FoundationEssentials
import Testing

/// The registry picks coders, enforces limits, turns pictures upright.
@Suite("Coder registry")
struct CoderRegistryTests {
  /// Takes everything that begins with `!` and claims a size.
  struct Fake: ImageDecoding {
    var name = "fake"
    var size = PixelSize(width: 2, height: 1)
    var frameCount = 1
    var orientation = Orientation.topLeft

    var formats: [ImageFormat] { [ImageFormat(rawValue: name)] }

    func format(of prefix: Data) -> ImageFormat? { prefix.first == 0x21 ? ImageFormat(rawValue: name) : nil }

    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      ImageInfo(
        format: ImageFormat(rawValue: name), size: size, frameCount: frameCount, orientation: orientation)
    }

    func decode(
      _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
    ) throws(ImagingError) -> Image {
      let bitmap = try Bitmap(size: size) { pixels in
        for index in pixels.indices { pixels[index] = UInt8(index & 255) }
        return true
      }
      return Image(
        bitmap: bitmap, info: try probe(data, limits: options.limits), orientation: orientation)
    }
  }

  static let input = Data("!".utf8)

  @Test("the last registered decoder is asked first")
  func lastWins() throws {
    var coders = CoderRegistry()
    coders.register(Fake(name: "first"))
    coders.register(Fake(name: "second"))
    #expect(try coders.probe(Self.input).format.rawValue == "second")
    #expect(coders.format(of: Self.input)?.rawValue == "second")
  }

  @Test("known formats without a coder, unknown ones, and nothing at all")
  func noCoder() throws {
    let coders = CoderRegistry()
    let jpeg = try Fixture.data("Corpus/jpeg/conformance/peacock.default.jpeg")
    #expect(throws: ImagingError.unsupportedFormat(.jpeg, reason: nil)) { try coders.decode(jpeg) }
    #expect(throws: ImagingError.unrecognizedFormat(hint: nil)) { try coders.decode(Self.input) }
    #expect(throws: ImagingError.emptyInput) { try coders.probe(Data()) }
    #expect(coders.format(of: jpeg) == .jpeg)
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 1, height: 1)) { _, _ in 0 }
    #expect(throws: ImagingError.self) { try coders.encode(Image(bitmap: bitmap), as: .jpeg()) }
  }

  @Test("limits hold whatever a decoder does")
  func limits() throws {
    var coders = CoderRegistry()
    coders.register(Fake(size: PixelSize(width: 20_000, height: 20_000)))
    #expect(throws: ImagingError.limitExceeded(.pixels, value: 400_000_000, limit: 100_000_000)) {
      try coders.probe(Self.input)
    }
    #expect(throws: ImagingError.limitExceeded(.bytes, value: 1, limit: 0)) {
      try coders.decode(Self.input, options: DecodeOptions(limits: DecodeLimits(maxBytes: 0)))
    }
    coders.register(Fake(frameCount: 9000))
    #expect(throws: ImagingError.limitExceeded(.frames, value: 9000, limit: 8192)) {
      try coders.probe(Self.input)
    }
  }

  @Test("orientation is applied unless the caller wants the picture as stored")
  func orientation() throws {
    var coders = CoderRegistry()
    coders.register(Fake(orientation: .rightTop))
    let upright = try coders.decode(Self.input)
    #expect(upright.bitmap.size == PixelSize(width: 1, height: 2))
    #expect(upright.orientation == .topLeft)
    #expect(upright.info?.orientation == .rightTop)
    let stored = try coders.decode(Self.input, options: DecodeOptions(appliesOrientation: false))
    #expect(stored.bitmap.size == PixelSize(width: 2, height: 1))
    #expect(stored.orientation == .rightTop)
  }

  @Test(
    "thumbnails are upright pixels, whatever the stored axes",
    arguments: [("1", 32, 21), ("2", 32, 21), ("6", 21, 32), ("8", 21, 32)])
  func thumbnail(_ stored: String, _ width: Int, _ height: Int) throws {
    // 96×64 as stored.
    let data = try Fixture.data("Corpus/jpeg/exif/f-orientation-\(stored).jpg")
    let options = DecodeOptions(thumbnail: .fit(width: 32, height: 32))
    let image = try CoderRegistry.standard.decode(data, options: options)
    #expect(image.bitmap.size == PixelSize(width: width, height: height))
    #expect(image.info?.size == PixelSize(width: 96, height: 64))
    // The pictures are one letter, turned in eight ways: upright they agree but for their size.
    let whole = try CoderRegistry.standard.decode(data)
    for channel in 0..<3 {
      #expect(abs(Self.mean(image.bitmap, channel) - Self.mean(whole.bitmap, channel)) < 4)
    }
    let asStored = DecodeOptions(appliesOrientation: false, thumbnail: .fit(width: 32, height: 32))
    #expect(
      try CoderRegistry.standard.decode(data, options: asStored).bitmap.size
        == PixelSize(width: 32, height: 21))
  }

  static func mean(_ bitmap: Bitmap, _ channel: Int) -> Double {
    bitmap.withUnsafeBytes { pixels in
      Double(stride(from: channel, to: pixels.count, by: 4).reduce(0) { $0 + Int(pixels[$1]) })
        / Double(pixels.count / 4)
    }
  }

  @Test("what is stored turned is encoded upright")
  func encodesUpright() throws {
    let bitmap = try OrientationTests.bitmap(PixelSize(width: 24, height: 8)) { _, _ in 0xFF00_FF00 }
    let bytes = try CoderRegistry.standard.encode(
      Image(bitmap: bitmap, orientation: .leftBottom), as: .jpeg(quality: 90))
    #expect(try CoderRegistry.standard.probe(bytes).size == PixelSize(width: 8, height: 24))
  }

  @Test("encodable formats are named once")
  func encodable() {
    var coders = CoderRegistry()
    coders.register(JPEGEncoder())
    coders.register(JPEGEncoder())
    #expect(coders.encodableFormats == [.jpeg])
    #expect(CoderRegistry.standard.encodableFormats.contains(.jpeg))
  }
}
