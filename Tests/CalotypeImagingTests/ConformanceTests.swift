import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import PNMCoder
import Testing

/// All coders keep the promises of the contract.
@Suite("Coder conformance")
struct ConformanceTests {
  @Test("JPEG")
  func jpeg() async throws {
    await expectConformance(
      CoderConformance(
        decoder: JPEGDecoder(), encoder: JPEGEncoder(),
        samples: try ["jpeg/exif/f-orientation-6.jpg", "jpeg/generated/size-31x9-progressive.jpg"].compactMap(
          sample),
        tolerance: 12, keepsAlpha: false, encodeOptions: .jpeg(quality: 95)))
  }

  @Test("PNG")
  func png() async throws {
    await expectConformance(
      CoderConformance(
        decoder: PNGDecoder(), encoder: PNGEncoder(),
        samples: try ["../png/basi3p08.png", "../png/basn6a08.png", "../png/1_trns.png"].compactMap(sample)))
  }

  @Test("APNG")
  func apng() async throws {
    await expectConformance(
      CoderConformance(
        decoder: PNGDecoder(), encoder: APNGEncoder(),
        samples: try [
          "../png/dispose-background-blend-source.png", "apng/generated/loop-1.png",
        ].compactMap(
          sample)))
  }

  @Test("WebP, lossless and lossy")
  func webp() async throws {
    await expectConformance(
      CoderConformance(
        decoder: WebPDecoder(), encoder: WebPEncoder(),
        samples: try [
          "../webp/size-15x17-lossless.webp", "../webp/size-16x16-lossy.webp", "../webp/gen-delays.webp",
        ].compactMap(sample), encodeOptions: .webpLossless))
    await expectConformance(
      CoderConformance(
        decoder: WebPDecoder(), encoder: WebPEncoder(),
        samples: try ["../webp/alpha-ramp-lossy.webp"].compactMap(sample), tolerance: 12,
        encodeOptions: .webp(quality: 95)))
  }

  @Test("GIF")
  func gif() async throws {
    await expectConformance(
      CoderConformance(
        decoder: GIFDecoder(), encoder: GIFEncoder(),
        samples: try ["../gif/interlaced.gif", "../gif/loop-2.gif"].compactMap(sample),
        tolerance: 8, keepsAlpha: false)
    )
  }

  @Test("QOI")
  func qoi() async throws {
    let pictures = try Self.pictures.map { try QOIEncoder().encode($0, options: .qoi) }
    await expectConformance(
      CoderConformance(decoder: QOIDecoder(), encoder: QOIEncoder(), samples: pictures))
  }

  #if JXL
  @Test("JPEG XL, lossless and lossy")
  func jxl() async throws {
    let still = try JXLEncoder().encode(Self.pictures[2], options: .jxl())
    let film = try SampleImages.animation(.jxlLossless, frames: 3, width: 20, height: 14)
    var lossless = CoderConformance(
      decoder: JXLDecoder(), encoder: JXLEncoder(),
      samples: [try Fixture.data("described/gen-jxlp-two-parts.jxl"), still, film],
      encodeOptions: .jxlLossless)
    lossless.attempts = 400
    await expectConformance(lossless)
    await expectConformance(
      CoderConformance(
        decoder: JXLDecoder(), encoder: JXLEncoder(), samples: [still], tolerance: 6,
        encodeOptions: .jxl(quality: 95)))
  }
  #endif

  @Test("BMP")
  func bmp() async throws {
    var runs = BMPBuilder(width: 5, height: 3, bits: 8, compression: 1)
    runs.palette = [[0, 0, 0], [255, 0, 0], [0, 255, 0]]
    runs.pixels = [5, 1, 0, 0, 0, 3, 1, 2, 1, 0, 0, 0, 0, 2, 3, 0, 2, 2, 0, 1]
    var words = BMPBuilder(width: 9, height: 7, bits: 32, compression: 3, headerByteCount: 124)
    words.masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
    words.pixels = (0..<9 * 7 * 4).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    var bits = BMPBuilder(width: 33, height: -4, bits: 1, headerByteCount: 12)
    bits.palette = [[10, 20, 30], [200, 100, 0]]
    bits.height = 4
    bits.pixels = (0..<8 * 4).map { UInt8(truncatingIfNeeded: $0 &* 91) }
    await expectConformance(
      CoderConformance(
        decoder: BMPDecoder(), encoder: BMPEncoder(), samples: [runs.data, words.data, bits.data]))
  }

  @Test("ICO")
  func ico() async throws {
    let pictures = try Self.pictures.map { try ICOEncoder().encode($0, options: .ico) }
    let bitmaps = ICOBuilder(entries: [.bitmap(side: 4, bits: 32), .bitmap(side: 8, bits: 4)])
    await expectConformance(
      CoderConformance(
        decoder: ICODecoder(), samples: pictures + [bitmaps.data]))
  }

  #if AVIF
  @Test("AVIF", .enabled(if: CoderRegistry.standard.decodableFormats.contains(.avif)))
  func avif() async throws {
    let still = try AVIFEncoder().encode(try Self.pictures[1], options: .avifLossless)
    let samples = try [
      "white_1x1", "gen-ramp", "draw_points_idat_progressive", "colors-animated-12bpc-keyframes-0-2-3",
    ].map { try Fixture.data("avif/\($0).avif") }
    await expectConformance(
      CoderConformance(
        decoder: AVIFDecoder(), encoder: AVIFEncoder(), samples: [still] + samples,
        encodeOptions: .avifLossless))
  }
  #endif

  #if HEIF
  @Test("HEIF", .enabled(if: HEIFDecoder().refusal(of: .heif) == nil))
  func heif() async throws {
    let samples = try [
      "gen-grid-thumbnail-irot3.heic", "gen-grid-clap-irot1-imir1.heic", "RGBA_8__29x100.heif",
      "L_10__29x100.heif",
    ].map { try Fixture.data("heif/\($0)") }
    await expectConformance(CoderConformance(decoder: HEIFDecoder(), samples: samples))
  }
  #endif

  #if TIFF
  @Test("TIFF")
  func tiff() async throws {
    let strips = TIFFSample(width: 31, height: 9, compression: 5, rows: 4, pack: TIFFSample.lzw)
    var tiles = TIFFSample(width: 33, height: 18, samples: 4, compression: 8, pack: TIFFSample.deflate)
    tiles.tile = (16, 16)
    tiles.others = [.init(338, 2, type: 3), .init(274, 3, type: 3)]
    let planes = TIFFSample(width: 12, height: 7, bits: 16, isPlanar: true, isBigEndian: true, isBig: true)
    await expectConformance(
      CoderConformance(decoder: TIFFDecoder(), samples: [strips.data, tiles.data, planes.data]))
  }
  #endif

  /// Pictures of three sizes with runs and slopes.
  private static var pictures: [Image] {
    get throws {
      try [1, 9, 40].map { side in
        Image(
          bitmap: try OrientationTests.bitmap(PixelSize(width: side, height: side)) { x, y in
            UInt32(truncatingIfNeeded: x / 3 &* 0x0102_0304 &+ y &* 0x0300_0105) | 0xFF00_0000
          })
      }
    }
  }

  @Test("a coder that a program brings along")
  func pnm() async throws {
    let pictures = try Self.pictures.map { try PNMEncoder().encode($0, options: EncodeOptions(format: .pnm)) }
    let texts = ["P1 3 2\n1 0 1\n0 1 0\n", "P3\n# colours\n2 1 7\n7 0 0  0 3 7\n"].map { Data($0.utf8) }
    await expectConformance(
      CoderConformance(
        decoder: PNMDecoder(), encoder: PNMEncoder(), samples: pictures + texts, keepsAlpha: false))
  }

  @Test("a coder that breaks promises is found out")
  func complaints() async throws {
    let complaints = await CoderConformance(
      decoder: Careless(), encoder: Careless(), samples: [Data("CARE0123456789".utf8)]
    ).complaints()
    let found = Set(complaints.map(\.check))
    let expected: Set<CoderConformance.Check> = [
      .recognition, .probe, .truncation, .limits, .cancellation, .roundTrip, .frames, .damage,
    ]
    #expect(found.isSuperset(of: expected), "not found: \(expected.subtracting(found))")
    #expect(!complaints.map(\.description).contains(""))
  }

  private func sample(_ path: String) throws -> Data? { try Fixture.data("Corpus/" + path) }

  private func expectConformance(_ conformance: CoderConformance) async {
    #expect(conformance.samples.count > 0)
    var conformance = conformance
    conformance.attempts = 600
    for complaint in await conformance.complaints() { Issue.record("\(complaint)") }
  }
}

/// Looks at nothing: neither limits nor cancellation nor the bytes behind the signature.
private struct Careless: ImageDecoding, ImageEncoding {
  var format: ImageFormat { ImageFormat(rawValue: "careless") }
  var formats: [ImageFormat] { [format] }

  func format(of prefix: Data) -> ImageFormat? {
    prefix.isEmpty ? nil : format
  }

  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    ImageInfo(format: format, size: PixelSize(width: data.count, height: 1), frameCount: 2)
  }

  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image {
    let random = UInt8.random(in: 0...255)
    let bitmap = try Bitmap(size: PixelSize(width: 3, height: 1)) { pixels in
      for index in pixels.indices { pixels[index] = random ^ UInt8(data.count & 255) }
      return true
    }
    return Image(bitmap: bitmap)
  }

  func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data { Data("CARE".utf8) }
}
