import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("BMP")
struct BMPDecoderTests {
  static let red: [UInt8] = [255, 0, 0], green: [UInt8] = [0, 255, 0], blue: [UInt8] = [0, 0, 255]
  static let white: [UInt8] = [255, 255, 255]
  static let colors = [red, green, blue, white]

  static func decode(_ data: Data, partial: Bool = false, strict: Bool = false) throws(ImagingError) -> Image
  {
    try CoderRegistry.standard.decode(
      data, options: DecodeOptions(allowsPartial: partial, damage: strict ? .strict : .tolerate))
  }

  static func letters(_ builder: BMPBuilder) throws -> String { try decode(builder.data).bitmap.letters }

  /// Two rows, `RG` over `BW`.
  static var words24: BMPBuilder {
    var builder = BMPBuilder(width: 2, height: 2, bits: 24)
    builder.pixels = [255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0]
    return builder
  }

  @Test("every header", arguments: [12, 16, 24, 40, 52, 56, 64, 108, 124])
  func headers(byteCount: Int) throws {
    var builder = Self.words24
    builder.headerByteCount = byteCount
    let image = try Self.decode(builder.data)
    #expect(image.bitmap.letters == "RG/BW")
    #expect(image.bitmap.isOpaque)
    let info = try #require(image.info)
    #expect(info.format == .bmp && info.size == PixelSize(width: 2, height: 2) && !info.hasAlpha)
    #expect(try CoderRegistry.standard.probe(builder.data) == info)
    #expect(try CoderRegistry.standard.header(of: builder.data)?.info == info)
    #expect(try BMPDecoder().header(of: builder.data.prefix(14 + byteCount - 1), limits: .default) == nil)
    builder.height = -2
    if byteCount > 12 { #expect(try Self.letters(builder) == "BW/RG") }
    builder = Self.words24
    builder.gap = 5
    #expect(try Self.letters(builder) == "RG/BW")
  }

  @Test("the number of planes does not count")
  func planes() throws {
    var data = Self.words24.data
    data[26] = 77
    #expect(try Self.decode(data).bitmap.letters == "RG/BW")
  }

  @Test("indices of 1, 2, 4 and 8 bits, with palettes of three and four bytes", arguments: [12, 40])
  func palettes(headerByteCount: Int) throws {
    for (bits, row) in [(1, [0x40]), (2, [0x1B]), (4, [0x01, 0x23]), (8, [0, 1, 2, 3])] as [(Int, [UInt8])] {
      var builder = BMPBuilder(width: bits == 1 ? 2 : 4, height: 1, bits: bits)
      builder.headerByteCount = headerByteCount
      builder.palette = Array(Self.colors.prefix(1 << bits))
      builder.pixels = row + [UInt8](repeating: 0, count: 4 - row.count)
      #expect(try Self.letters(builder) == (bits == 1 ? "RG" : "RGBW"))
      #expect(try Self.decode(builder.data).info?.bitDepth == bits)
    }
  }

  @Test("indices beyond a short palette are black; a palette of any stated length is cut")
  func shortPalette() throws {
    var builder = BMPBuilder(width: 4, height: 1, bits: 8)
    builder.palette = [Self.red, Self.green]
    builder.pixels = [0, 1, 2, 255]
    #expect(try Self.letters(builder) == "RGKK")
    for used in [0, 2, 300, Int(UInt32.max)] {
      builder.colorsUsed = used
      #expect(try Self.letters(builder) == "RGKK", "\(used)")
    }
    builder.colorsUsed = 1
    #expect(try Self.letters(builder) == "RKKK")
    builder.colorsUsed = nil
    builder.pixelStart = 54
    #expect(try Self.letters(builder) == "RGKK", "an offset that does not count the palette")
  }

  @Test("words of 16 and 32 bits: usual ones, and those of masks")
  func words() throws {
    var builder = BMPBuilder(width: 4, height: 1, bits: 16)
    builder.pixels = [0x00, 0x7C, 0xE0, 0x03, 0x1F, 0x00, 0xFF, 0xFF]
    #expect(try Self.letters(builder) == "RGBW")
    builder.compression = 3
    builder.masks = [0xF800, 0x07E0, 0x001F]
    builder.pixels = [0x00, 0xF8, 0xE0, 0x07, 0x1F, 0x00, 0xFF, 0xFF]
    #expect(try Self.letters(builder) == "RGBW")
    builder = BMPBuilder(width: 2, height: 1, bits: 32)
    builder.pixels = [0, 0, 255, 0, 255, 0, 0, 77]
    #expect(try Self.letters(builder) == "RB", "the fourth byte is not alpha")
    builder.compression = 3
    builder.masks = [0xFF, 0xFF00, 0xFF_0000]
    #expect(try Self.letters(builder) == "BR")
    // The same, as fields of a longer header.
    builder.headerByteCount = 52
    #expect(try Self.letters(builder) == "BR")
  }

  @Test("alpha only by a mask, in a header that has one", arguments: [(3, 56), (3, 108), (3, 124), (6, 40)])
  func alpha(compression: Int, headerByteCount: Int) throws {
    var builder = BMPBuilder(width: 2, height: 1, bits: 16, compression: compression)
    builder.headerByteCount = headerByteCount
    builder.masks = [0x0F00, 0x00F0, 0x000F, 0xF000]
    builder.pixels = [0x00, 0xFF, 0x0F, 0x80]
    let image = try Self.decode(builder.data)
    #expect(image.info?.hasAlpha == true && !image.bitmap.isOpaque)
    #expect(image.bitmap.withUnsafeBytes { Array($0) } == [255, 0, 0, 255, 0, 0, 255, 0x88])
  }

  @Test("fields are scaled alike at every width")
  func scaling() throws {
    var builder = BMPBuilder(width: 1, height: 1, bits: 32, compression: 3)
    builder.masks = [0x3FF0_0000, 0x000F_FC00, 0x0000_03FF]
    builder.pixels = [0xFF, 0x03, 0x08, 0x20]  // 512, 512, 1023
    #expect(try Self.decode(builder.data).bitmap.withUnsafeBytes { Array($0) } == [128, 128, 255, 255])
    builder = BMPBuilder(width: 1, height: 1, bits: 16)
    builder.pixels = [0b0100_0011, 0b0000_1100, 0, 0]  // 3, 2, 3
    #expect(try Self.decode(builder.data).bitmap.withUnsafeBytes { Array($0) } == [24, 16, 24, 255])
    builder.compression = 3
    builder.headerByteCount = 56
    builder.masks = [0x7C00, 0x03E0, 0x001F, 0x8000]
    builder.pixels[1] |= 0x80
    #expect(try Self.decode(builder.data).bitmap.withUnsafeBytes { Array($0) } == [24, 16, 24, 255])
  }

  @Test("an embedded profile is delivered; a linked one is a file name")
  func profile() throws {
    var builder = Self.words24
    builder.headerByteCount = 124
    builder.profile = [UInt8](repeating: 7, count: 200)
    let options = DecodeOptions(colors: .asStored)
    #expect(
      try CoderRegistry.standard.decode(builder.data, options: options).profile
        == .icc(Data(builder.profile)))
    builder.profileType = "LINK"
    #expect(try CoderRegistry.standard.decode(builder.data, options: options).profile == nil)
  }

  @Test(
    "variants that are other formats inside", arguments: [(4, 40, 24), (5, 40, 32), (3, 64, 1), (11, 40, 32)])
  func unsupported(compression: Int, headerByteCount: Int, bits: Int) {
    var builder = Self.words24
    (builder.compression, builder.headerByteCount, builder.bits) = (compression, headerByteCount, bits)
    let error = #expect(throws: ImagingError.self) { try Self.decode(builder.data) }
    #expect(error?.code == "unsupportedFormat")
  }

  @Test("a file that ends early has its lower rows, if that is allowed")
  func truncated() throws {
    let data = Self.words24.data
    #expect(try Self.decode(data.dropLast(2)).bitmap.letters == "RG/BW", "the last padding is not needed")
    let cut = data.dropLast(3)
    #expect(throws: ImagingError.truncated(.bmp, byteCount: cut.count)) { try Self.decode(cut) }
    let image = try Self.decode(cut, partial: true)
    #expect(image.isPartial && image.bitmap.letters == "../BW" && !image.bitmap.isOpaque)
    #expect(throws: ImagingError.self) { try Self.decode(data.prefix(59), partial: true) }
  }

  @Test("rows that are resampled as they are converted are those of the whole")
  func shrinking() throws {
    for height in [48, -48] {
      for bits in [8, 24, 32] {
        var builder = BMPBuilder(width: 63, height: height, bits: bits)
        if bits == 8 { builder.palette = (0..<256).map { [UInt8($0), UInt8(255 - $0), 40] } }
        builder.pixels = (0..<(63 * bits + 31) / 32 * 4 * 48).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        for thumbnail in [Thumbnail.fit(width: 16, height: 12), .fill(width: 20, height: 20)] {
          let options = DecodeOptions(thumbnail: thumbnail)
          let info = try CoderRegistry.standard.probe(builder.data)
          let shrinker = RowShrinker([thumbnail], of: info, options: options)
          _ = try BMPDecoder().decode(builder.data, minimumSize: nil, options: options, shrinkingBy: shrinker)
          #expect(shrinker.isUsed)
          #expect(
            try CoderRegistry.standard.decode(builder.data, options: options).bitmap
              == ThumbnailStreamTests.whole(builder.data, options).bitmap)
        }
      }
    }
  }
}
