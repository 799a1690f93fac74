import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Predictions from the header")
struct PredictionTests {
  /// A picture, and what its decode took at its peak in MiB, measured as growth of the resident set.
  struct Case: CustomStringConvertible, Sendable {
    let description: String
    let format: ImageFormat
    let width: Int
    let height: Int
    let box: Int?
    let peak: Double
    var layout = ImageInfo.Layout()
    var hasAlpha = false
    var milliseconds: Double?

    init(
      _ description: String, _ format: ImageFormat, _ width: Int, _ height: Int, box: Int? = nil,
      peak: Double,
      _ milliseconds: Double? = nil, hasAlpha: Bool = false,
      _ change: (inout ImageInfo.Layout) -> Void = { _ in }
    ) {
      (self.description, self.format, self.width, self.height) = (description, format, width, height)
      (self.box, self.peak, self.milliseconds, self.hasAlpha) = (box, peak, milliseconds, hasAlpha)
      layout.isKnown = true
      change(&layout)
    }

    var info: ImageInfo {
      var info = ImageInfo(format: format, size: PixelSize(width: width, height: height), hasAlpha: hasAlpha)
      info.layout = layout
      return info
    }

    var options: DecodeOptions { DecodeOptions(thumbnail: box.map { .fit(width: $0, height: $0) }) }
  }

  private static func coded(_ samples: Double, scans pixels: Int = 0)
    -> @Sendable (inout ImageInfo.Layout) -> Void
  {
    { ($0.samplesPerPixel, $0.coefficientByteCount) = (samples, Int(2 * samples * Double(pixels))) }
  }
  private static func rows(_ inflated: Int, scattered: Int = 0) -> @Sendable (inout ImageInfo.Layout) -> Void
  {
    { ($0.inflatedByteCount, $0.scatteredByteCount) = (inflated, scattered) }
  }
  private static let lossless: @Sendable (inout ImageInfo.Layout) -> Void = { $0.isLossless = true }
  private static func planes(_ samples: Double) -> @Sendable (inout ImageInfo.Layout) -> Void {
    { ($0.samplesPerPixel, $0.isLossless) = (samples, true) }
  }

  /// One picture of HEVC with these samples of each of its pixels, and those of alpha.
  private static func coded(hevc samples: Double, _ pixels: Double, _ alpha: Double = 0)
    -> @Sendable (inout ImageInfo.Layout) -> Void
  {
    {
      $0.samplesPerPixel = samples + alpha
      $0.inflatedByteCount = Int(pixels * (samples + 1.6 + alpha))
    }
  }
  /// Tiles of 4:2:0 in a picture that is 4032 pixels wide.
  private static func tiles(_ side: Int) -> @Sendable (inout ImageInfo.Layout) -> Void {
    {
      $0.samplesPerPixel = 1.5
      $0.inflatedByteCount = side * side * 31 / 10
      $0.scatteredByteCount = 4032 * side * 3 / 2
    }
  }

  static let cases: [Case] = [
    Case("jpeg", .jpeg, 6000, 4000, peak: 93.4, 55, coded(1.5)),
    Case("jpeg, thumbnail", .jpeg, 6000, 4000, box: 400, peak: 2.6, 35, coded(1.5)),
    Case("jpeg, wide, thumbnail", .jpeg, 12000, 500, box: 400, peak: 1.9, 10.2, coded(1.5)),
    Case("jpeg 4:4:4", .jpeg, 3000, 2000, peak: 25, 36, coded(3)),
    Case("progressive", .jpeg, 6000, 4000, peak: 161.7, 243, coded(1.5, scans: 24_000_000)),
    Case(
      "progressive, thumbnail", .jpeg, 6000, 4000, box: 400, peak: 71.1, 244, coded(1.5, scans: 24_000_000)),
    Case("progressive 4:4:4", .jpeg, 3000, 2000, peak: 59.5, 122, coded(3, scans: 6_000_000)),
    Case("png", .png, 3000, 2000, peak: 24.5, 64, rows(18_002_000)),
    Case("png, in pieces", .png, 1216, 822, peak: 6.3, 11.6, rows(2_999_478, scattered: 1_680_000)),
    Case("png, thumbnail", .png, 3000, 2000, box: 400, peak: 2.9, 77, rows(18_002_000)),
    Case("png, wide, thumbnail", .png, 12000, 500, box: 400, peak: 11.6, 52, rows(18_000_500)),
    Case("png, 24 MP", .png, 6000, 4000, peak: 92.7, nil, rows(72_004_000)),
    Case("png, interlaced, thumbnail", .png, 3000, 2000, box: 400, peak: 25.6) {
      rows(18_003_000)(&$0)
      $0.needsCanvas = true
    },
    Case(
      "png with alpha, small thumbnail", .png, 3000, 2000, box: 64, peak: 9.9, 73, hasAlpha: true,
      rows(24_002_000)),
    Case("png with alpha, interlaced, small thumbnail", .png, 3000, 2000, box: 64, peak: 30.1, hasAlpha: true)
    {
      rows(24_003_000)(&$0)
      $0.needsCanvas = true
    },
    Case("webp", .webp, 4608, 2592, peak: 47.1, 83),
    Case("webp, thumbnail", .webp, 4608, 2592, box: 400, peak: 11.5, 105),
    Case("webp, small thumbnail", .webp, 4608, 2592, box: 64, peak: 17.3, 133),
    Case("webp, wide, thumbnail", .webp, 12000, 500, box: 400, peak: 19.4, 95),
    Case("webp with alpha", .webp, 3000, 2000, peak: 53.8, 91, hasAlpha: true),
    Case("webp with alpha, thumbnail", .webp, 3000, 2000, box: 400, peak: 38.2, 85, hasAlpha: true),
    Case("lossless webp", .webp, 3000, 2000, peak: 48, 131, lossless),
    Case("lossless webp, thumbnail", .webp, 3000, 2000, box: 400, peak: 33.6, 156, lossless),
    Case("lossless webp, wide, thumbnail", .webp, 12000, 500, box: 400, peak: 44.1, 121, lossless),
    Case("gif", .gif, 3000, 2000, peak: 24.7, 33),
    Case("gif, thumbnail", .gif, 3000, 2000, box: 400, peak: 25.5, 42),
    Case("gif of a megapixel", .gif, 1216, 822, peak: 5.8, 5.8),
    Case("avif", .avif, 6000, 4000, peak: 136.7, 168, coded(1.5)),
    Case("avif, thumbnail", .avif, 6000, 4000, box: 320, peak: 48.8, 148, coded(1.5)),
    Case("avif of a megapixel", .avif, 1216, 822, peak: 12, 18, coded(1.5)),
    Case("avif, wide, thumbnail", .avif, 12000, 500, box: 320, peak: 16.5, 63, coded(1.5)),
    Case("avif 4:4:4", .avif, 3000, 2000, peak: 51.5, nil, coded(3)),
    Case("avif with alpha", .avif, 3000, 2000, peak: 50.4, 102, hasAlpha: true, coded(2.5)),
    Case(
      "avif with alpha, thumbnail", .avif, 3000, 2000, box: 320, peak: 25.2, 101, hasAlpha: true, coded(2.5)),
    Case("jxl", .jxl, 6000, 4000, peak: 168.4, 548, coded(3)),
    Case("jxl, thumbnail", .jxl, 6000, 4000, box: 320, peak: 90.7, 580, coded(3)),
    Case("jxl of a megapixel", .jxl, 1216, 822, peak: 14, 40, coded(3)),
    Case("jxl with alpha", .jxl, 3000, 2000, peak: 253.7, 317, hasAlpha: true, coded(4)),
    Case("jxl with alpha, thumbnail", .jxl, 3000, 2000, box: 320, peak: 238, 329, hasAlpha: true, coded(4)),
    Case("jxl, lossless and progressive", .jxl, 3000, 2000, peak: 174, 938, planes(3)),
    Case("jxl, lossless and progressive, thumbnail", .jxl, 3000, 2000, box: 320, peak: 157.7, 935, planes(3)),
    Case(
      "jxl, lossless and progressive with alpha", .jxl, 3000, 2000, peak: 219, 1203, hasAlpha: true, planes(4)
    ),
    Case("heif of tiles", .heif, 4032, 3024, peak: 52.9, 389, tiles(512)),
    Case("heif of tiles, thumbnail", .heif, 4032, 3024, box: 320, peak: 4.6, 360, tiles(512)),
    Case("heif of tiles, large thumbnail", .heif, 4032, 3024, box: 1600, peak: 17.7, 390, tiles(512)),
    Case("heif", .heif, 3000, 2000, peak: 38.8, 260, coded(hevc: 1.5, 6_000_000)),
    Case("heif, thumbnail", .heif, 3000, 2000, box: 400, peak: 20, 267, coded(hevc: 1.5, 6_000_000)),
    Case("heif of a megapixel", .heif, 1216, 822, peak: 8.2, 47, coded(hevc: 1.5, 1_000_000)),
    Case(
      "heif with alpha", .heif, 3000, 2000, peak: 53.3, 295, hasAlpha: true, coded(hevc: 1.5, 6_000_000, 1)),
    Case(
      "heif with alpha, thumbnail", .heif, 3000, 2000, box: 400, peak: 32.1, 302, hasAlpha: true,
      coded(hevc: 1.5, 6_000_000, 1)),
    Case("tiff", .tiff, 4608, 2592, peak: 50, 126, rows(55_296)),
    Case("tiff, thumbnail", .tiff, 4608, 2592, box: 320, peak: 7.6, 134, rows(55_296)),
  ]

  @Test("bytes are never much below what was measured, and rarely far above", arguments: cases)
  func bytes(_ item: Case) {
    let predicted = Double(item.options.workingByteCount(for: item.info)) / Double(1 << 20)
    #expect(predicted >= 0.9 * item.peak)
    #expect(predicted <= 1.4 * item.peak + 3)
  }

  @Test("durations are right to a factor of two", arguments: cases)
  func durations(_ item: Case) throws {
    guard let milliseconds = item.milliseconds else { return }
    let predicted = item.options.predictedDuration(for: item.info) / .milliseconds(1)
    #expect((milliseconds / 2...milliseconds * 2).contains(predicted))
  }

  @Test("what the header says, decoders find out")
  func layouts() throws {
    let photo = Image(bitmap: try SampleImages.bitmap(width: 160, height: 96))
    func layout(_ options: EncodeOptions) throws -> ImageInfo.Layout {
      try CoderRegistry.standard.probe(CoderRegistry.standard.encode(photo, as: options)).layout
    }
    var options = EncodeOptions.jpeg()
    #expect(try layout(options).samplesPerPixel == 1.5 && layout(options).coefficientByteCount == 0)
    options.isProgressive = true
    #expect(try layout(options).coefficientByteCount == 160 * 96 * 3)
    options.subsampling = .yuv444
    #expect(try layout(options).samplesPerPixel == 3 && layout(options).coefficientByteCount == 160 * 96 * 6)
    #expect(try layout(.webpLossless).isLossless && !layout(.webp()).isLossless)
    let png = try layout(.png)
    #expect(png.isKnown && !png.needsCanvas && png.scatteredByteCount == 0)
    #expect(png.inflatedByteCount == 96 * (1 + 3 * 160) || png.inflatedByteCount == 96 * (1 + 4 * 160))
    #expect(try layout(.gif).isKnown && !layout(.gif).needsCanvas)
  }

  @Test("how a picture is stored does not make it another")
  func equality() {
    var other = ImageInfo(format: .jpeg, size: PixelSize(width: 8, height: 8))
    let info = other
    other.layout.coefficientByteCount = 1
    other.layout.isKnown = true
    #expect(info == other && info.hashValue == other.hashValue)
  }

  @Test("what nobody has said is taken for the worst")
  func unknown() {
    for item in Self.cases {
      var info = item.info
      info.layout = ImageInfo.Layout()
      #expect(item.options.workingByteCount(for: info) >= item.options.workingByteCount(for: item.info))
    }
  }

  @Test("sizes that headers lie about do not overflow")
  func overflow() {
    for format in [ImageFormat.jpeg, .png, .webp, .gif, ImageFormat(rawValue: "other")] {
      for side in [1, Int(Int32.max), .max] {
        for thumbnail in [nil, Thumbnail.fit(width: 100, height: 100)] {
          let info = ImageInfo(format: format, size: PixelSize(width: side, height: 1))
          let options = DecodeOptions(thumbnail: thumbnail)
          #expect(options.workingByteCount(for: info) > 0)
          #expect(options.predictedDuration(for: info) > .zero)
        }
      }
    }
    // Two rows are needed at a time.
    var wide = ImageInfo(format: .png, size: PixelSize(width: 100_000_000, height: 1))
    wide.layout.isKnown = true
    wide.layout.inflatedByteCount = .max
    #expect(DecodeOptions().workingByteCount(for: wide) > 1 << 60)
    #expect(DecodeOptions().predictedDuration(for: wide) > .seconds(1))
    wide.layout.inflatedByteCount = 300_000_001
    #expect(DecodeOptions(thumbnail: .fit(width: 64, height: 64)).workingByteCount(for: wide) > 900 << 20)
  }

  @Test("a turn, a profile or a transform takes another picture")
  func finishing() {
    var info = ImageInfo(format: .jpeg, size: PixelSize(width: 1000, height: 1000))
    info.layout.isKnown = true
    let options = DecodeOptions()
    let plain = options.workingByteCount(for: info)
    info.orientation = .rightTop
    #expect(options.workingByteCount(for: info) > plain + 3_500_000)
    #expect(DecodeOptions(appliesOrientation: false).workingByteCount(for: info) == plain)
    info.orientation = .topLeft
    info.layout.hasProfile = true
    #expect(options.workingByteCount(for: info) > plain + 3_500_000)
    #expect(DecodeOptions(colors: .asStored).workingByteCount(for: info) == plain)
    info.layout.hasProfile = false
    #expect(DecodeOptions(transforms: [.grayscale()]).workingByteCount(for: info) > plain + 3_500_000)
  }

  @Test("encoders are ranked")
  func encoding() {
    let size = PixelSize(width: 1216, height: 822)
    func milliseconds(_ options: EncodeOptions) -> Double {
      options.predictedDuration(for: size) / .milliseconds(1)
    }
    var ranked: [EncodeOptions] = [.jpeg(), .png, .webp(), .webpLossless]
    #expect(ranked.map(milliseconds) == ranked.map(milliseconds).sorted())
    ranked[2].maxFileSize = 10_000
    // A search takes three encodes.
    #expect(milliseconds(ranked[2]) > 2.9 * milliseconds(.webp()))
    var small = EncodeOptions.webp()
    small.maxPixelSize = 608
    #expect(milliseconds(small) < milliseconds(.webp()) / 3)
    let frames = EncodeOptions.gif.predictedDuration(for: size, frameCount: 10)
    #expect(frames > EncodeOptions.gif.predictedDuration(for: size) * 9)
    #expect(EncodeOptions.png.predictedDuration(for: PixelSize(width: .max, height: .max)) > .seconds(1))
  }
}
