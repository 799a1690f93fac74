import FoundationEssentials
import Testing

@testable import CalotypeImaging
import CalotypeSupport

/// What PNG says about colours, depth and origin.
@Suite struct PNGColorTests {
  private let file = PNGTestFile(width: 2, height: 1)
  private var pixels: [UInt8] { PNGTestFile.chunk("IDAT", file.compressed { x, y, c in x + y + c }) }

  private func decode(_ chunks: [UInt8], readsMetadata: Bool = false) throws(ImagingError) -> Image {
    try PNGDecoder().decode(
      file.file(chunks, pixels), minimumSize: nil, options: DecodeOptions(readsMetadata: readsMetadata))
  }

  private let gamma = PNGTestFile.chunk("gAMA", PNGTestFile.number(45455))
  private let primaries = PNGTestFile.chunk(
    "cHRM", [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000].flatMap(PNGTestFile.number))
  private let standard = PNGTestFile.chunk("sRGB", [0])
  private let profile = PNGTestFile.chunk("iCCP", Array("x".utf8) + [0, 0] + PNGTestFile.stored([1, 2, 3]))

  @Test func theStrongestChunkCounts() throws {
    #expect(try decode([]).profile == nil)
    #expect(try decode(gamma).profile == .calibrated(.init(gamma: 0.45455)))
    let both = ColorProfile.Calibration(
      gamma: 0.45455, white: .init(x: 0.3127, y: 0.329), red: .init(x: 0.64, y: 0.33),
      green: .init(x: 0.3, y: 0.6), blue: .init(x: 0.15, y: 0.06))
    #expect(try decode(gamma + primaries).profile == .calibrated(both))
    #expect(try decode(gamma + primaries + standard).profile == .sRGB)
    #expect(try decode(gamma + standard + profile).profile == .icc(Data([1, 2, 3])))
    let code = PNGTestFile.chunk("cICP", [1, 13, 0, 1])
    #expect(try decode(profile + code).profile == .sRGB)
    #expect(try decode(standard + pixels).profile == .sRGB)
    // Of the rendering intents, there are four.
    #expect(try decode(PNGTestFile.chunk("sRGB", [4]) + pixels).profile == nil)
    #expect(try decode(PNGTestFile.chunk("sRGB", [4]) + standard + pixels).profile == .sRGB)
  }

  @Test func codePointsAreAProfile() throws {
    let displayP3 = try decode(PNGTestFile.chunk("cICP", [12, 13, 0, 1]))
    #expect(displayP3.profile == .cicp(.init(primaries: 12, transfer: 13)))
    #expect(displayP3.info?.dynamicRange == .standard)
    let narrow = try decode(PNGTestFile.chunk("cICP", [1, 13, 0, 0]))
    #expect(narrow.profile == .cicp(.init(primaries: 1, transfer: 13, isFullRange: false)))
  }

  @Test func codePointsWithoutKnownColorsAreIgnored() throws {
    let unknown: [[UInt8]] = [
      [2, 13, 0, 1], [3, 13, 0, 1], [1, 3, 0, 1], [1, 17, 0, 1], [1, 13, 1, 1], [1, 13, 0, 2], [1, 13, 0],
    ]
    for points in unknown {
      #expect(try decode(PNGTestFile.chunk("cICP", points) + standard).profile == .sRGB, "\(points)")
      #expect(try decode(PNGTestFile.chunk("cICP", points)).profile == nil, "\(points)")
    }
  }

  @Test func highDynamicRangeHasAPeak() throws {
    let code = PNGTestFile.chunk("cICP", [9, 16, 0, 1])
    let content = PNGTestFile.chunk("cLLI", PNGTestFile.number(6_000_000) + PNGTestFile.number(0))
    let display = PNGTestFile.chunk(
      "mDCV", [UInt8](repeating: 1, count: 16) + PNGTestFile.number(40_000_000) + PNGTestFile.number(50))
    let unknown = PNGTestFile.chunk("cLLI", [UInt8](repeating: 0, count: 8))
    let short = PNGTestFile.chunk("cLLI", PNGTestFile.number(9_000_000))
    let cases: [(chunks: [UInt8], peak: Double?)] = [
      (code, nil), (content + code, 600), (code + display, 4_000), (code + display + content, 600),
      (unknown + display + code, 4_000), (code + short, nil),
    ]
    for (chunks, peak) in cases {
      let points = ColorProfile.CodePoints(primaries: 9, transfer: 16, peakLuminance: peak)
      let data = file.file(chunks, pixels)
      let stored = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions())
      #expect(stored.profile == .cicp(points))
      #expect(try CoderRegistry.standard.probe(data).dynamicRange == .pq)
    }
    let hlg = file.file(PNGTestFile.chunk("cICP", [9, 18, 0, 1]), pixels)
    #expect(try CoderRegistry.standard.probe(hlg).dynamicRange == .hlg)
    // Without code points the luminance means nothing.
    #expect(try decode(content + display).profile == nil)
  }

  @Test func nonsenseIsIgnored() throws {
    let long = PNGTestFile.chunk(
      "iCCP", Array("x".utf8) + [0, 0] + PNGTestFile.stored([UInt8](repeating: 0, count: 300)))
    let limited = DecodeOptions(limits: DecodeLimits(maxChunkBytes: 299))
    let data = file.file(long, pixels)
    #expect(try PNGDecoder().decode(data, minimumSize: nil, options: limited).profile == nil)
    #expect(try decode(PNGTestFile.chunk("gAMA", PNGTestFile.number(0))).profile == nil)
    #expect(try decode(PNGTestFile.chunk("iCCP", [0, 0, 1])).profile == nil)
    #expect(try decode(PNGTestFile.chunk("iCCP", Array("name".utf8))).profile == nil)
    #expect(try decode(PNGTestFile.chunk("cHRM", [UInt8](repeating: 0, count: 32))).profile == nil)
  }

  @Test func metadataIsReadOnDemand() throws {
    let packet = Array("<x:xmpmeta/>".utf8)
    let keyword = Array("XML:com.adobe.xmp".utf8) + [0]
    let exif: [UInt8] = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
    let plain = PNGTestFile.chunk("iTXt", keyword + [0, 0, 0, 0] + packet)
    let compressed = PNGTestFile.chunk("iTXt", keyword + [1, 0, 101, 110, 0, 0] + PNGTestFile.stored(packet))
    let other = PNGTestFile.chunk("iTXt", Array("Title".utf8) + [0, 0, 0, 0, 0] + packet)
    for text in [other + plain, compressed] {
      let image = try decode(PNGTestFile.chunk("eXIf", exif) + text, readsMetadata: true)
      #expect(image.metadata == ImageMetadata(exif: Data(exif), xmp: Data(packet)))
    }
    #expect(try decode(plain).metadata == ImageMetadata())
    #expect(try decode(PNGTestFile.chunk("iTXt", keyword + [1]), readsMetadata: true).metadata.xmp == nil)
  }

  @Test func nativePixelsAreExact() throws {
    let wide = PNGTestFile(width: 5, height: 4, depth: 16, colorType: 6, isInterlaced: true)
    let sample = { (x: Int, y: Int, c: Int) in PNGDecoderTests.sample(x, y, c, depth: 16) }
    let data = wide.file(PNGTestFile.chunk("IDAT", wide.compressed(sample)))
    let image = try PNGDecoder().decode(data, minimumSize: nil, options: DecodeOptions(pixels: .native))
    #expect(image.bitmap.format == .rgba16)
    let expected: [UInt16] = (0..<80).map { UInt16(sample($0 / 4 % 5, $0 / 20, $0 % 4)) }
    #expect(image.bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) } == expected)
    let gray = PNGTestFile(width: 9, height: 2, depth: 2, colorType: 0)
    let chunk = PNGTestFile.chunk("IDAT", gray.compressed { x, y, _ in (x + y) & 3 })
    let native = DecodeOptions(pixels: .native)
    let plain = try PNGDecoder().decode(gray.file(chunk), minimumSize: nil, options: native)
    #expect(plain.bitmap.format == .gray8)
    let grays: [UInt8] = (0..<18).map { UInt8(($0 % 9 + $0 / 9) & 3) * 85 }
    #expect(plain.bitmap.bytes == grays)
    let keyed = try PNGDecoder().decode(
      gray.file(PNGTestFile.chunk("tRNS", [0, 1]), chunk), minimumSize: nil, options: native)
    #expect(keyed.bitmap.format == .rgba8)
  }

  @Test func realSamplesOf16Bits() throws {
    let image = try PNGDecoder().decode(
      try Fixture.data("png/basn2c16.png"), minimumSize: nil, options: DecodeOptions(pixels: .native))
    let samples = image.bitmap.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    var color: [UInt8] = []
    for (index, sample) in samples.enumerated() where index % 4 < 3 {
      color += [UInt8(sample & 255), UInt8(sample >> 8)]
    }
    #expect(
      Hex.encode(color.withUnsafeBytes { MessageDigest.sha256($0) }).hasSuffix(
        "057654d06147541f93290e5fab17c69a9b165398afcbc1a58120d2bd37fb5f62"))
  }
}
