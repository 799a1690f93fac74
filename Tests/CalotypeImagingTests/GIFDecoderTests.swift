import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct GIFDecoderTests {
  private let decoder = GIFDecoder()

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try decoder.decode(
      data, minimumSize: nil,
      options: DecodeOptions(allowsPartial: partial, damage: partial ? .tolerate : .strict))
  }

  private func probe(_ data: Data) throws(ImagingError) -> ImageInfo {
    try decoder.probe(data, limits: .default)
  }

  @Test func readsPixelsByTheGlobalPalette() throws {
    var gif = GIFBuilder(width: 3, height: 2)
    gif.frame(width: 3, height: 2, pixels: [0, 1, 2, 3, 2, 1])
    let image = try decode(gif.data)
    #expect(image.bitmap.letters == "RGB/WBG")
    #expect(image.bitmap.isOpaque)
    #expect(!image.isPartial)
    #expect(image.info == (try probe(gif.data)))
    #expect(image.info == ImageInfo(format: .gif, size: PixelSize(width: 3, height: 2)))
  }

  @Test func prefersTheLocalPalette() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 1], palette: [0, 0, 0, 255, 255, 255])
    #expect(try decode(gif.data).bitmap.letters == "KW")
  }

  @Test func showsIndicesBeyondThePaletteInBlack() throws {
    var gif = GIFBuilder(width: 2, height: 1, palette: [255, 0, 0, 0, 255, 0])
    gif.frame(width: 2, height: 1, pixels: [1, 3])
    #expect(try decode(gif.data).bitmap.letters == "GK")
  }

  @Test func showsFramesWithoutPaletteInGreys() throws {
    var gif = GIFBuilder(width: 2, height: 1, palette: nil)
    gif.frame(width: 2, height: 1, pixels: [0, 3])
    let bitmap = try decode(gif.data).bitmap
    bitmap.withUnsafeBytes { #expect(Array($0) == [0, 0, 0, 255, 3, 3, 3, 255]) }
  }

  @Test func leavesTransparentPixelsAndTheRestOfTheCanvasTransparent() throws {
    var gif = GIFBuilder(width: 4, height: 3)
    gif.control(transparent: 1)
    gif.frame(x: 1, y: 1, width: 2, height: 1, pixels: [0, 1])
    let image = try decode(gif.data)
    #expect(image.bitmap.letters == "..../.R../....")
    #expect(!image.bitmap.isOpaque)
    #expect(image.info?.hasAlpha == true)
  }

  @Test func knowsThatAnUnusedTransparentIndexLeavesTheImageOpaque() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.control(transparent: 3)
    gif.frame(width: 2, height: 1, pixels: [0, 1])
    let image = try decode(gif.data)
    #expect(image.bitmap.isOpaque)
    #expect(image.info?.hasAlpha == true)
  }

  @Test func enlargesTheCanvasForAFirstFrameThatSticksOut() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(x: 1, y: 1, width: 2, height: 1, pixels: [0, 1])
    gif.frame(x: 9, y: 9, width: 1, height: 1, pixels: [0])
    let image = try decode(gif.data)
    #expect(image.bitmap.letters == ".../.RG")
    #expect(image.info?.size == PixelSize(width: 3, height: 2))
  }

  @Test(arguments: [1, 2, 3, 4, 5, 8, 9, 17])
  func putsInterlacedRowsInOrder(height: Int) throws {
    // Rows in stored order: 0, 8, …; 4, 12, …; 2, 6, …; 1, 3, ….
    let order =
      Array(stride(from: 0, to: height, by: 8)) + Array(stride(from: 4, to: height, by: 8))
      + Array(stride(from: 2, to: height, by: 4)) + Array(stride(from: 1, to: height, by: 2))
    var gif = GIFBuilder(width: 1, height: height)
    gif.frame(width: 1, height: height, pixels: order.map { UInt8($0 % 4) }, interlaced: true)
    let wanted = (0..<height).map { ["R", "G", "B", "W"][$0 % 4] }.joined(separator: "/")
    #expect(try decode(gif.data).bitmap.letters == wanted)
  }

  @Test(
    arguments: [
      ("still-96x64", 96, 64, 0x18b9_4064_5e1e_20ab), ("interlaced", 24, 16, 0x400b_e388_1009_55ed),
    ] as [(String, Int, Int, UInt64)])
  func decodesFiles(name: String, width: Int, height: Int, fingerprint: UInt64) throws {
    let image = try decode(Fixture.data("gif/\(name).gif"))
    #expect(image.bitmap.size == PixelSize(width: width, height: height))
    #expect(image.bitmap.fingerprint == fingerprint)
  }

  @Test(arguments: [(nil, 1), (0, 0), (1, 2), (5, 6), (65535, 65536)] as [(Int?, Int)])
  func countsPlays(repeats: Int?, plays: Int) throws {
    for name in ["NETSCAPE2.0", "ANIMEXTS1.0"] {
      var gif = GIFBuilder(width: 1, height: 1)
      if let repeats { gif.loop(repeats, name: name) }
      gif.frame(width: 1, height: 1, pixels: [0])
      #expect(try probe(gif.data).loopCount == 1)
      gif.frame(width: 1, height: 1, pixels: [1])
      #expect(try probe(gif.data).loopCount == plays)
    }
  }

  @Test func readsDelaysAndAppliesEachControlBlockOnce() throws {
    var gif = GIFBuilder(width: 1, height: 1)
    for delay in [0, 1, 2, 6000] {
      gif.control(delay: delay)
      gif.frame(width: 1, height: 1, pixels: [0])
    }
    gif.frame(width: 1, height: 1, pixels: [0])
    let info = try probe(gif.data)
    #expect(info.durations.map(\.wholeMilliseconds) == [100, 100, 20, 60000, 100])
    #expect(info.frameCount == 5)
  }

  @Test func skipsCommentsTextUnknownExtensionsAndGarbage() throws {
    var gif = GIFBuilder(width: 1, height: 1, version: "GIF87a")
    gif.raw([0x21, 0xFE, 2, 0x2C, 0x3B, 0])
    gif.raw([0x21, 0x99, 1, 0x3B, 1, 0x3B, 0])
    gif.raw([0, 0, 0x42])
    gif.frame(width: 1, height: 1, pixels: [2])
    let image = try decode(gif.data)
    #expect(image.bitmap.letters == "B")
    #expect(image.info?.frameCount == 1)
  }

  @Test func needsNoTrailer() throws {
    var gif = GIFBuilder(width: 1, height: 1)
    gif.frame(width: 1, height: 1, pixels: [1])
    let image = try decode(gif.openData)
    #expect(image.bitmap.letters == "G")
    #expect(!image.isPartial)
  }

  @Test func recognisesItsSignatureOnly() {
    #expect(decoder.format(of: Data("GIF89a".utf8)) == .gif)
    #expect(decoder.format(of: Data("GIF87a".utf8)) == .gif)
    #expect(decoder.format(of: Data("GIF90a".utf8)) == nil)
    #expect(decoder.format(of: Data("GIF8".utf8)) == nil)
    #expect(decoder.format(of: Data()) == nil)
  }

  @Test func readsASliceThatDoesNotStartAtZero() throws {
    var gif = GIFBuilder(width: 2, height: 1)
    gif.frame(width: 2, height: 1, pixels: [0, 1])
    let slice = (Data([1, 2, 3]) + gif.data).dropFirst(3)
    #expect(try decode(slice).bitmap.letters == "RG")
  }
}
