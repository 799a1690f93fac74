import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Formats that are described and not decoded")
struct DescribedFormatTests {
  /// Decodes AVIF, or refuses it.
  private struct Decoder: ImageDecoding {
    var refuses = false
    var formats: [ImageFormat] { [.avif] }
    func format(of prefix: Data) -> ImageFormat? { ImageFormat.sniff(prefix) == .avif ? .avif : nil }
    func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
      if refuses { throw .unsupportedFormat(.avif, reason: "variant") }
      return ImageInfo(format: .avif, size: PixelSize(width: 2, height: 1))
    }
    func decode(
      _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
    ) throws(ImagingError) -> Image {
      if refuses { throw .unsupportedFormat(.avif, reason: "variant") }
      return Image(
        bitmap: try Bitmap(size: PixelSize(width: 2, height: 1)) { (pixels) throws(ImagingError) in
          pixels.initializeMemory(as: UInt8.self, repeating: 0)
          return false
        })
    }
  }

  private static let samples: [(ImageFormat, Data)] = all.filter { CoderRegistry.describing.contains($0.0) }

  private static let all: [(ImageFormat, Data)] = [
    (.avif, ItemFile.still().data),
    (
      .heif,
      {
        var file = ItemFile.still(); file.brand = "heic"; return file.data
      }()
    ),
    (.tiff, TIFFBuilder().file([TIFFBuilder.page])),
    (.svg, Data("<svg width='4' height='3'/>".utf8)),
    (.jxl, Data([0xFF, 0x0A, 0xFF, 0x0A, 0, 0])),
  ]

  private func isRefusal(_ error: ImagingError?, of format: ImageFormat) -> Bool {
    guard case .unsupportedFormat(format, let reason?) = error else { return false }
    let isBuiltIn = CoderRegistry.formatsOfLibraries.contains(format)
    return reason.hasSuffix("register a decoder")
      && reason.contains("the package trait \(format.rawValue.uppercased())") == !isBuiltIn
  }

  private func error(_ body: () throws(ImagingError) -> Void) -> ImagingError? {
    do throws(ImagingError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("they have a header, and every decode is refused with the remedy")
  func refusals() throws {
    // Formats whose coder is built in are decoded.
    let coders = CoderRegistry.standard
    for (format, data) in Self.samples where !CoderRegistry.standard.decodableFormats.contains(format) {
      #expect(try coders.probe(data).format == format)
      #expect(coders.format(of: data) == format)
      #expect(isRefusal(error { () throws(ImagingError) in _ = try coders.decode(data) }, of: format))
      #expect(
        isRefusal(
          error { () throws(ImagingError) in _ = try coders.decodableInfo(of: data) }, of: format))
      #expect(
        isRefusal(error { () throws(ImagingError) in _ = try AnimatedImage(data: data) }, of: format))
      let sizes = error { () throws(ImagingError) in _ = try coders.decode(data, thumbnails: [nil]) }
      #expect(isRefusal(sizes, of: format))
      #expect(!coders.decodableFormats.contains(format))
      // Bytes behind the signature do not matter, and are not waited for.
      let long = data + Data(repeating: 0x20, count: 600)
      let decoder = coders.makeIncrementalDecoder()
      #expect(
        isRefusal(
          error { () throws(ImagingError) in try decoder.append(long.prefix(512)) }, of: format))
    }
  }

  @Test("files of other programs")
  func fixtures() throws {
    func info(_ name: String) throws -> ImageInfo {
      try CoderRegistry.standard.probe(Fixture.data("described/" + name))
    }
    #expect(
      try info("gen-ramp.avif")
        == ImageInfo(format: .avif, size: PixelSize(width: 32, height: 24), hasAlpha: true))
    let animation = try info("gen-100-200-300.avif")
    #expect(animation.durations == [100, 200, 300].map { .milliseconds($0) } && animation.loopCount == 0)
    #expect(try info("gen-irot3-imir0-exif6.heif").orientation == .rightBottom)
    #expect(try info("gen-jxlp-two-parts.jxl").size == PixelSize(width: 40, height: 30))
    let pages = try info("gen-two-pages-of-two-sizes.tif")
    #expect(pages.pageCount == 2 && pages.size == PixelSize(width: 20, height: 15))
    for name in ["gen-base.svg", "gen-base.svgz", "gen-utf16.svg"] {
      #expect(try info(name).size == PixelSize(width: 64, height: 64), "\(name)")
    }
  }

  @Test("a decoder that is registered later takes the place")
  func decoder() throws {
    let avif = ItemFile.still().data
    var coders = CoderRegistry.standard
    coders.register(Decoder())
    #expect(try coders.probe(avif).size == PixelSize(width: 2, height: 1))
    #expect(try coders.decode(avif).size == PixelSize(width: 2, height: 1))
    #expect(coders.decodableFormats.contains(.avif))
  }

  @Test("a variant that the decoder refuses is described, and the refusal of the decoder remains")
  func variant() throws {
    let avif = ItemFile.still().data
    var coders = CoderRegistry.standard
    // Without the decoder of the package, which would be asked next.
    coders.unregisterDecoders { $0.formats.contains(.avif) && $0.refusal(of: .avif) == nil }
    coders.register(Decoder(refuses: true))
    #expect(try coders.probe(avif).size == PixelSize(width: 32, height: 24))
    #expect(throws: ImagingError.unsupportedFormat(.avif, reason: "variant")) { try coders.decode(avif) }
    let decoder = coders.makeIncrementalDecoder()
    try decoder.append(avif)
    #expect(throws: ImagingError.unsupportedFormat(.avif, reason: "variant")) { try decoder.finish() }
  }

  @Test("a hint does not choose a decoder without pixels")
  func hint() throws {
    let png = try Fixture.data("png/basn6a08.png")
    let decodable = CoderRegistry.standard.decodableFormats
    for format in [ImageFormat.avif, .tiff, .svg] where !decodable.contains(format) {
      #expect(try CoderRegistry.standard.probe(png, formatHint: format).format == .png)
      #expect(throws: Never.self) {
        try CoderRegistry.standard.decode(png, options: DecodeOptions(formatHint: format))
      }
    }
  }

  @Test("descriptions that were written before there were pages read as before")
  func codable() throws {
    let old =
      #"{"format":"gif","size":{"width":3,"height":4},"frameCount":1,"loopCount":1,"durations":[],"#
      + #""hasAlpha":false,"bitDepth":8,"orientation":1,"isDamaged":false}"#
    let info = try JSONDecoder().decode(ImageInfo.self, from: Data(old.utf8))
    #expect(info == ImageInfo(format: .gif, size: PixelSize(width: 3, height: 4)))
    let new = ImageInfo(
      format: .tiff, size: PixelSize(width: 3, height: 4), pageCount: 7, hasGainMap: true, isVector: true,
      dynamicRange: .hlg)
    #expect(try JSONDecoder().decode(ImageInfo.self, from: JSONEncoder().encode(new)) == new)
  }
}

extension CoderRegistry {
  /// The formats that the standard registry only describes in this build.
  fileprivate static var describing: Set<ImageFormat> {
    var formats: Set<ImageFormat> = [.avif, .heif, .tiff, .svg, .jxl]
    #if JXL
    formats.remove(.jxl)
    #endif
    return formats
  }
}
