import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Run lengths of BMP")
struct BMPRunTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var bits = 8
    let pixels: [UInt8]
    let expected: String
    var isDamaged = false
  }

  /// Pictures of 4 by 2 pixels; index 0 is red, 1 green, 2 blue, 3 white.
  private static func builder(_ row: Row) -> BMPBuilder {
    var builder = BMPBuilder(width: 4, height: 2, bits: row.bits)
    builder.compression = [4: 2, 8: 1, 24: 4][row.bits] ?? 0
    if row.bits == 24 { builder.headerByteCount = 64 } else { builder.palette = BMPDecoderTests.colors }
    builder.pixels = row.pixels
    return builder
  }

  private static let rows = [
    Row(testDescription: "runs", pixels: [4, 0, 0, 0, 4, 1, 0, 1], expected: "GGGG/RRRR"),
    Row(testDescription: "no end mark", pixels: [4, 0, 0, 0, 4, 1], expected: "GGGG/RRRR"),
    Row(
      testDescription: "literals, padded", pixels: [0, 3, 0, 1, 2, 0, 1, 3, 0, 0, 4, 1],
      expected: "GGGG/RGBW"),
    Row(
      testDescription: "literals of 4 bits", bits: 4, pixels: [0, 3, 0x01, 0x20, 1, 0x30, 0, 0, 4, 0x01],
      expected: "RGRG/RGBW"),
    Row(
      testDescription: "colours", bits: 24,
      pixels: [3, 0, 0, 255, 1, 255, 0, 0, 0, 0, 0, 3, 0, 255, 0, 255, 255, 255, 0, 0, 255, 0, 0, 1],
      expected: "GWR./RRRB"),
    Row(
      testDescription: "rows that end early", pixels: [2, 0, 0, 0, 1, 1, 0, 1], expected: "G.../RR.."),
    Row(testDescription: "a picture that ends early", pixels: [2, 0, 0, 1], expected: "..../RR.."),
    Row(testDescription: "moves", pixels: [1, 0, 0, 2, 1, 1, 2, 1], expected: "..GG/R..."),
    Row(
      testDescription: "a run beyond the row", pixels: [9, 0, 0, 0, 4, 1], expected: "GGGG/RRRR",
      isDamaged: true),
    Row(
      testDescription: "a move beyond the picture", pixels: [4, 0, 0, 2, 0, 200, 4, 1],
      expected: "..../RRRR", isDamaged: true),
    Row(
      testDescription: "indices beyond the palette", pixels: [4, 77, 0, 0, 4, 255], expected: "KKKK/KKKK"),
  ]

  @Test(arguments: rows) func paints(row: Row) throws {
    let data = Self.builder(row).data
    let image = try BMPDecoderTests.decode(data)
    #expect(image.bitmap.letters == row.expected)
    #expect(image.isDamaged == row.isDamaged && !image.isPartial)
    #expect(image.bitmap.isOpaque == !row.expected.contains("."))
    if row.isDamaged {
      #expect(throws: ImagingError.self) { try BMPDecoderTests.decode(data, strict: true) }
    }
    IncrementalDecodes(decoder: BMPDecoder()).expectSame(data, sizes: [1, 2, 3, 64], row.testDescription)
  }

  @Test("data that end inside a run are truncated, also after complete rows")
  func truncated() throws {
    for pixels in [[4, 0, 0], [4, 0, 0, 0, 2, 1], [4, 0, 0, 0, 0, 4, 1, 2]] as [[UInt8]] {
      let data = Self.builder(Row(testDescription: "", pixels: pixels, expected: "")).data
      #expect(throws: ImagingError.truncated(.bmp, byteCount: data.count)) {
        try BMPDecoderTests.decode(data)
      }
      let image = try BMPDecoderTests.decode(data, partial: true)
      #expect(image.isPartial && image.bitmap.letters.hasSuffix("/RRRR"))
    }
  }

  @Test("run lengths are of 4, 8 or 24 bits, and may run from the top")
  func others() throws {
    var builder = Self.builder(Self.rows[0])
    builder.height = -2
    #expect(try BMPDecoderTests.letters(builder) == "RRRR/GGGG")
    builder.bits = 4
    #expect(throws: ImagingError.self) { try BMPDecoderTests.letters(builder) }
  }
}
