import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import QOICoder
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
        samples: try ["../png/split_fdat.png", "../png/dispose-background-blend-source.png"].compactMap(
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
        decoder: GIFDecoder(), samples: try ["../gif/interlaced.gif", "../gif/loop-2.gif"].compactMap(sample))
    )
  }

  @Test("a coder that a program brings along")
  func qoi() async throws {
    var pictures: [Data] = []
    for side in [1, 9, 40] {
      let bitmap = try OrientationTests.bitmap(PixelSize(width: side, height: side)) { x, y in
        UInt32(truncatingIfNeeded: x / 3 &* 0x0102_0304 &+ y &* 0x0300_0105) | 0xFF00_0000
      }
      pictures.append(try QOIEncoder().encode(Image(bitmap: bitmap), options: EncodeOptions(format: .qoi)))
    }
    await expectConformance(
      CoderConformance(decoder: QOIDecoder(), encoder: QOIEncoder(), samples: pictures))
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
    prefix.count == 4 || prefix.starts(with: [67]) ? format : nil
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
