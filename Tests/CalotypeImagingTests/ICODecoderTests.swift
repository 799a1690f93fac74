import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("ICO and CUR")
struct ICODecoderTests {
  private static func decode(
    _ data: Data, _ minimum: Int? = nil, partial: Bool = false
  ) throws(ImagingError) -> Image {
    try ICODecoder().decode(
      data, minimumSize: minimum.map { PixelSize(width: $0, height: $0) },
      options: DecodeOptions(allowsPartial: partial))
  }

  private static func png(_ width: Int, _ height: Int) throws -> ICOBuilder.Entry {
    ICOBuilder.Entry(bytes: Array(try SampleImages.still(width: width, height: height)))
  }

  @Test(
    "bitmaps are transparent where their mask has a bit", arguments: [1, 4, 8, 24, 32], [1, 2] as [UInt8])
  func masks(bits: Int, kind: UInt8) throws {
    let data = ICOBuilder(kind: kind, entries: [.bitmap(side: 4, bits: bits)]).data
    let image = try CoderRegistry.standard.decode(data)
    #expect(image.bitmap.letters == "RRRR/RRRR/..../....")
    let info = try #require(image.info)
    #expect(info.format == (kind == 1 ? .ico : .cur) && info.hasAlpha && info.size == image.size)
    #expect(try CoderRegistry.standard.probe(data) == info)
    #expect(info.format.fileExtension == info.format.rawValue)
  }

  @Test("alpha of 32 bits counts instead of the mask, unless all of it is zero")
  func alpha() throws {
    let data = ICOBuilder(entries: [.bitmap(side: 4, bits: 32, alpha: 255)]).data
    let image = try Self.decode(data)
    #expect(image.bitmap.letters == "RRRR/RRRR/RRRR/RRRR" && image.bitmap.isOpaque)
  }

  @Test("a picture without a mask is opaque")
  func maskless() throws {
    var entry = ICOBuilder.Entry.bitmap(side: 4, bits: 24)
    entry.bytes.removeLast(4)
    #expect(try Self.decode(ICOBuilder(entries: [entry]).data).bitmap.letters.contains(".") == false)
  }

  @Test("size and depth are those of the pictures, not of the directory")
  func ownHeaders() throws {
    var liar = ICOBuilder.Entry.bitmap(side: 4, bits: 24)
    liar.stated = (0, 0, 32)
    let honest = ICOBuilder.Entry.bitmap(side: 8, bits: 8, color: [0, 255, 0])
    let data = ICOBuilder(entries: [liar, honest]).data
    #expect(try CoderRegistry.standard.probe(data).size == PixelSize(width: 8, height: 8))
    #expect(try Self.decode(data).bitmap.letters.hasPrefix("GGGGGGGG/"))
  }

  @Test(
    "the smallest picture that suffices, otherwise the largest; of equals the deepest, of those the first")
  func choice() throws {
    let data = ICOBuilder(entries: [
      .bitmap(side: 16, bits: 4), .bitmap(side: 4, bits: 8), .bitmap(side: 8, bits: 8, color: [0, 255, 0]),
      .bitmap(side: 8, bits: 24, color: [255, 255, 255]), .bitmap(side: 8, bits: 24, color: [0, 255, 0]),
      try Self.png(32, 32),
    ]).data
    for (minimum, side) in [(nil, 32), (1, 4), (4, 4), (5, 8), (9, 16), (17, 32), (33, 32)] {
      #expect(try Self.decode(data, minimum).size == PixelSize(width: side, height: side))
    }
    #expect(try Self.decode(data, 5).bitmap.letters.hasPrefix("WWWWWWWW/"))
    let small = DecodeOptions(thumbnail: .fit(width: 8, height: 8))
    #expect(try CoderRegistry.standard.decode(data, options: small).size == PixelSize(width: 8, height: 8))
  }

  @Test("a picture of other proportions does not stand for the largest")
  func proportions() throws {
    let data = ICOBuilder(entries: [try Self.png(40, 20), try Self.png(16, 16), try Self.png(21, 10)]).data
    #expect(try Self.decode(data, 8).size == PixelSize(width: 21, height: 10))
    #expect(try CoderRegistry.standard.probe(data).size == PixelSize(width: 40, height: 20))
  }

  @Test("entries that are no pictures are skipped; overlapping ones are read")
  func brokenEntries() throws {
    let good = ICOBuilder.Entry.bitmap(side: 4, bits: 24)
    let noise = ICOBuilder.Entry(stated: (64, 64, 32), bytes: [UInt8](repeating: 0xEE, count: 200))
    var twin = ICOBuilder.Entry(bytes: [])
    (twin.start, twin.byteCount) = (6 + 3 * 16, good.bytes.count)
    #expect(try Self.decode(ICOBuilder(entries: [good, twin, noise]).data).width == 4)
    let error = #expect(throws: ImagingError.self) { try Self.decode(ICOBuilder(entries: [noise]).data) }
    #expect(error?.code == "corrupt")
  }

  @Test("entries outside the file, and files that end early, are truncated")
  func truncated() throws {
    var outside = ICOBuilder.Entry.bitmap(side: 4, bits: 24)
    for start in [1 << 20, Int(UInt32.max)] {
      outside.start = start
      let alone = #expect(throws: ImagingError.self) { try Self.decode(ICOBuilder(entries: [outside]).data) }
      #expect(alone?.code == "truncated")
      let data = ICOBuilder(entries: [.bitmap(side: 4, bits: 24), outside]).data
      let beside = #expect(throws: ImagingError.self) { try Self.decode(data) }
      #expect(beside?.code == "truncated")
      // The missing picture may be the largest: that is no partial image, either.
      #expect(throws: ImagingError.self) { try Self.decode(data, partial: true) }
    }
    let data = ICOBuilder(entries: [.bitmap(side: 4, bits: 24), .bitmap(side: 8, bits: 24)]).data
    for count in 0..<data.count {
      #expect(throws: ImagingError.self, "\(count)") { try Self.decode(data.prefix(count)) }
      #expect(
        try ICODecoder().header(of: data.prefix(count), limits: .default).map { $0.info.size.width } ?? 8 == 8
      )
    }
    #expect(throws: ImagingError.self) { try Self.decode(ICOBuilder(entries: [], count: 3).data) }
  }

  @Test("a picture that ends early has its lower rows, if that is allowed")
  func partial() throws {
    let data = ICOBuilder(entries: [.bitmap(side: 4, bits: 24)]).data
    // Without its mask, and without its two upper rows.
    #expect(try Self.decode(data.dropLast(3), partial: true).bitmap.letters == "RRRR/RRRR/RRRR/RRRR")
    let image = try Self.decode(data.dropLast(16 + 20), partial: true)
    #expect(image.isPartial && image.bitmap.letters == "..../..../RRRR/RRRR")
  }

  @Test("pictures that claim a large size")
  func limits() throws {
    var huge = BMPBuilder(width: 65_535, height: 131_070, bits: 32).picture
    huge += [UInt8](repeating: 0, count: 64)
    let error = #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(ICOBuilder(entries: [ICOBuilder.Entry(bytes: huge)]).data)
    }
    #expect(error?.code == "limitExceeded")
    var flat = try Self.png(4, 4)
    flat.bytes.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
    let second = #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(ICOBuilder(entries: [flat]).data)
    }
    #expect(second?.code == "limitExceeded")
  }

  @Test("encoded icons come back, in all sizes")
  func encoding() throws {
    let image = Image(bitmap: try SampleImages.bitmap(width: 200, height: 100))
    let single = try image.encoded(as: .ico)
    #expect(try Image(data: single).bitmap == image.bitmap)
    let data = try image.encoded(as: .ico(sizes: [16, 32, 256, 300 - 44]))
    let sizes = try ICODirectory(data.bytes).entries.map(\.size.width)
    #expect(sizes == [16, 32, 200])
    #expect(try Self.decode(data, 10).size == PixelSize(width: 32, height: 16))
    for sizes in [[0], [257], []] {
      #expect(throws: ImagingError.self) { try image.encoded(as: .ico(sizes: sizes)) }
    }
    let large = Image(bitmap: try SampleImages.bitmap(width: 300, height: 2))
    let error = #expect(throws: ImagingError.self) { try large.encoded(as: .ico) }
    #expect(error?.code == "encodingFailed")
    var shrunk = EncodeOptions.ico
    shrunk.maxPixelSize = 256
    #expect(try Image(data: large.encoded(as: shrunk)).width == 256)
  }
}
