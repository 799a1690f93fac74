import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct WebPDecoderTests {
  private let decoder = WebPDecoder()

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try decoder.decode(data, minimumSize: nil, options: DecodeOptions(allowsPartial: partial))
  }

  @Test(
    arguments: [
      ("size-15x17-lossless", 15, 17, 0x4546_1ae2_e4a0_77fc),
      ("size-16x16-lossy", 16, 16, 0x2e8e_6ac8_b355_7d85),
      ("alpha-ramp-lossy", 256, 64, 0x5b79_0196_a7e7_047b),
      ("catdog-alert-13-alpha-used-false", 32, 32, 0x136c_6949_d647_4863),
      ("gen-mixed-lossy-lossless", 48, 32, 0x8f78_f8b9_6b07_dd95),
    ] as [(String, Int, Int, UInt64)])
  func decodesFiles(name: String, width: Int, height: Int, fingerprint: UInt64) throws {
    let image = try decode(Fixture.data("webp/\(name).webp"))
    #expect(image.bitmap.size == PixelSize(width: width, height: height))
    #expect(image.bitmap.fingerprint == fingerprint)
    #expect(!image.isPartial)
  }

  @Test func believesTheHeaderThatSaysAlphaIsUnused() throws {
    let image = try decode(Fixture.data("webp/catdog-alert-13-alpha-used-false.webp"))
    #expect(image.bitmap.isOpaque)
    #expect(image.info?.hasAlpha == false)
    image.bitmap.withUnsafeBytes { bytes in
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }
  }

  @Test func knowsAlpha() throws {
    let image = try decode(Fixture.data("webp/alpha-ramp-lossy.webp"))
    #expect(!image.bitmap.isOpaque)
    #expect(image.info?.hasAlpha == true)
    #expect(try decode(Fixture.data("webp/size-16x16-lossy.webp")).bitmap.isOpaque)
  }

  @Test func readsAnimationsWithTheirRawPlaysAndShownDelays() throws {
    let info = try decoder.probe(Fixture.data("webp/gen-delays.webp"), limits: .default)
    #expect(info.durations.map(\.wholeMilliseconds) == [100, 100, 100, 11, 100, 16_777_215])
    #expect(info.frameCount == 6)
    #expect(info.loopCount == 0)
    #expect(info.size == PixelSize(width: 48, height: 32))
    #expect(info.hasAlpha)
  }

  @Test func callsAnAnimationOfOneFrameAStill() throws {
    let info = try decoder.probe(Fixture.data("webp/gen-single-frame.webp"), limits: .default)
    #expect(info.frameCount == 1)
    #expect(info.loopCount == 1)
    #expect(info.durations.isEmpty)
  }

  @Test func readsTheOrientationThatNoFlagAnnounces() throws {
    let image = try decode(Fixture.data("webp/f-orientation-6-no-flag.webp"))
    #expect(image.info?.orientation == .rightTop)
    #expect(image.orientation == .rightTop)
    #expect(image.bitmap.size == PixelSize(width: 96, height: 64))
  }

  @Test func readsTheNameOfTheColourProfile() throws {
    var file = WebPBuilder(width: 15, height: 17)
    file.chunk("ICCP", WebPBuilder.profile(named: "Test RGB"))
    file.picture(of: try Fixture.data("webp/size-15x17-lossless.webp"))
    #expect(try decoder.probe(file.data, limits: .default).colorProfile == "Test RGB")
  }

  @Test func skipsUnknownChunksAndTrailingBytes() throws {
    let plain = try Fixture.data("webp/size-15x17-lossless.webp")
    var file = WebPBuilder(width: 15, height: 17)
    file.chunk("what", [1, 2, 3])
    file.picture(of: plain)
    file.chunk("ever", [])
    #expect(try decode(file.data + [1, 2, 3]).bitmap == decode(plain).bitmap)
  }

  @Test func placesAFrameOnATransparentCanvas() throws {
    let plain = try Fixture.data("webp/size-15x17-lossless.webp")
    var file = WebPBuilder(width: 20, height: 30, flags: 0x02)
    file.chunk("ANIM", [1, 2, 3, 4, 7, 0])
    for delay: UInt8 in [50, 60] {
      // At (4, 6): offsets are stored halved, sizes less one, all in three bytes.
      file.chunk(
        "ANMF",
        [2, 0, 0, 3, 0, 0, 14, 0, 0, 16, 0, 0, delay, 0, 0, 0] + WebPBuilder.pictureChunk(of: plain))
    }
    let image = try decode(file.data)
    #expect(image.info?.loopCount == 7)
    #expect(image.info?.durations.map(\.wholeMilliseconds) == [50, 60])
    #expect(!image.bitmap.isOpaque)
    let still = try decode(plain).bitmap
    still.withUnsafeBytes { wanted in
      image.bitmap.withUnsafeBytes { got in
        for y in 0..<30 {
          for x in 0..<20 {
            let pixel = Array(got[4 * (20 * y + x)..<4 * (20 * y + x) + 4])
            if (4..<19).contains(x), (6..<23).contains(y) {
              let at = 4 * (15 * (y - 6) + x - 4)
              #expect(pixel == Array(wanted[at..<at + 4]))
            } else {
              #expect(pixel == [0, 0, 0, 0])
            }
          }
        }
      }
    }
  }

  @Test func recognisesItsSignatureOnly() {
    #expect(decoder.format(of: Data("RIFF....WEBPVP8 ".utf8)) == .webp)
    #expect(decoder.format(of: Data("RIFF....WAVEfmt ".utf8)) == nil)
    #expect(decoder.format(of: Data("RIFF".utf8)) == nil)
  }
}

/// Writes WebP containers around existing bitstreams.
struct WebPBuilder {
  private var bytes: [UInt8] = Array("WEBP".utf8)

  init(width: Int, height: Int, flags: UInt8 = 0) {
    chunk(
      "VP8X",
      [flags, 0, 0, 0] + Self.little(width - 1, byteCount: 3) + Self.little(height - 1, byteCount: 3))
  }

  var data: Data { Data(Array("RIFF".utf8) + Self.little(bytes.count, byteCount: 4) + bytes) }

  mutating func chunk(_ name: String, _ payload: [UInt8]) {
    bytes += Self.chunk(name, payload)
  }

  /// The bitstream of a simple file, as a chunk.
  mutating func picture(of file: Data) {
    bytes += Self.pictureChunk(of: file)
  }

  static func pictureChunk(of file: Data) -> [UInt8] { Array(file.dropFirst(12)) }

  static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    Array(name.utf8) + little(payload.count, byteCount: 4) + payload
      + (payload.count.isMultiple(of: 2) ? [] : [0])
  }

  static func little(_ value: Int, byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A profile of version 2 that has a name and nothing else.
  static func profile(named name: String) -> [UInt8] {
    func big(_ value: Int) -> [UInt8] { little(value, byteCount: 4).reversed() }
    let tag = Array("desc".utf8) + big(0) + big(name.utf8.count + 1) + Array(name.utf8) + [0]
    let header = [UInt8](repeating: 0, count: 36) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 88)
    return header + big(1) + Array("desc".utf8) + big(144) + big(tag.count) + tag
  }
}
