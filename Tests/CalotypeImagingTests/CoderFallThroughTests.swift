import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Registry: several decoders of a format")
struct CoderFallThroughTests {
  /// Knows PNG, but not this variant.
  private struct Refusing: ImageDecoding {
    var formats: [ImageFormat] { [.png] }
    var isIncremental = false
    func format(of prefix: Data) -> ImageFormat? { ImageFormat.sniff(prefix) == .png ? .png : nil }
    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      throw .unsupportedFormat(.png, reason: "refused")
    }
    func decode(
      _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
    ) throws(ImagingError) -> Image {
      throw .unsupportedFormat(.png, reason: "refused")
    }
    func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
      isIncremental ? Incremental() : nil
    }

    /// Refuses after 60 bytes.
    final class Incremental: IncrementalImageDecoding {
      var count = 0
      var info: ImageInfo? { nil }
      func append(_ chunk: Data) throws(ImagingError) {
        count += chunk.count
        if count > 60 { throw .unsupportedFormat(.png, reason: "refused") }
      }
      func snapshot() throws(ImagingError) -> Image? { nil }
      func finish() throws(ImagingError) -> Image { throw .unsupportedFormat(.png, reason: "refused") }
    }
  }

  /// The fewest requirements.
  private struct Smallest: ImageDecoding {
    var formats: [ImageFormat] { [.qoi] }
    func format(of prefix: Data) -> ImageFormat? { QOIDecoder().format(of: prefix) }
    func decode(
      _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
    ) throws(ImagingError) -> Image {
      Image(bitmap: try QOIDecoder().decode(data, minimumSize: minimumSize, options: options).bitmap)
    }
  }

  private var png: Data {
    get throws { try SampleImages.still(.png, width: 24, height: 16) }
  }

  @Test("a decoder that does not know the variant leaves it to the next one")
  func fallsThrough() throws {
    var coders = CoderRegistry.standard
    coders.register(Refusing())
    let expected = try Image(data: png)
    #expect(try coders.probe(png).size == expected.size)
    #expect(try coders.decode(png).bitmap == expected.bitmap)
    #expect(try AnimatedImage(data: png, coders: coders).frame(at: 0).bitmap == expected.bitmap)
    let small = DecodeOptions(thumbnail: .fit(width: 12))
    #expect(try coders.decode(png, options: small).size == PixelSize(width: 12, height: 8))
  }

  @Test("bytes that a refused decoder has read go to the next one", arguments: [false, true])
  func incremental(isIncremental: Bool) throws {
    var coders = CoderRegistry.standard
    coders.register(Refusing(isIncremental: isIncremental))
    let decoder = coders.makeIncrementalDecoder()
    for byte in try png { try decoder.append(Data([byte])) }
    #expect(try decoder.finish().bitmap == Image(data: png).bitmap)
  }

  @Test("the first refusal remains when no decoder is left; a decoder can be removed")
  func unregistered() throws {
    var coders = CoderRegistry.standard
    coders.register(Refusing())
    coders.unregisterDecoders { $0 is PNGDecoder }
    #expect(throws: ImagingError.unsupportedFormat(.png, reason: "refused")) { try coders.decode(png) }
    coders.unregisterDecoders { $0.formats.contains(.png) }
    #expect(throws: ImagingError.unsupportedFormat(.png, reason: nil)) { try coders.decode(png) }
    coders.unregisterEncoders { $0.format == .png }
    #expect(!coders.encodableFormats.contains(.png))
  }

  @Test("three requirements make a decoder")
  func smallest() throws {
    var coders = CoderRegistry.standard
    coders.register(QOIEncoder())
    coders.register(Smallest())
    let bitmap = try SampleImages.bitmap(width: 20, height: 10)
    let data = try Image(bitmap: bitmap).encoded(as: EncodeOptions(format: .qoi), coders: coders)
    let info = try coders.probe(data)
    #expect(info.format == .qoi && info.size == bitmap.size && info.frameCount == 1)
    #expect(try Image(data: data, coders: coders).bitmap == bitmap)
    let small = try Image(data: data, options: DecodeOptions(thumbnail: .fit(width: 10)), coders: coders)
    #expect(small.size == PixelSize(width: 10, height: 5))
    #expect(try AnimatedImage(data: data, coders: coders).frame(at: 0).bitmap == bitmap)
  }

  @Test("an encoder without a quality is asked once")
  func withoutQuality() throws {
    var coders = CoderRegistry()
    coders.register(QOIEncoder())
    var options = EncodeOptions(format: .qoi)
    options.maxFileSize = 20
    let image = Image(bitmap: try SampleImages.bitmap(width: 20, height: 10))
    let error = #expect(throws: ImagingError.self) { try image.encoded(as: options, coders: coders) }
    #expect(error?.code == "cannotFit")
  }
}
