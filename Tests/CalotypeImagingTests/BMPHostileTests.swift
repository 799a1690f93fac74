import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("Hostile BMP")
struct BMPHostileTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let data: Data
    let code: String

    init(_ name: String, _ code: String, _ change: (inout BMPBuilder) -> Void) {
      var builder = BMPDecoderTests.words24
      change(&builder)
      (testDescription, data, self.code) = (name, builder.data, code)
    }
  }

  private static let rows = [
    Row("lowest height", "limitExceeded") { $0.height = Int(Int32.min) },
    Row("largest size", "limitExceeded") { ($0.width, $0.height) = (Int(Int32.max), Int(Int32.max)) },
    Row("no width", "corrupt") { $0.width = 0 },
    Row("no height", "corrupt") { $0.height = 0 },
    Row("negative width", "corrupt") { $0.width = -2 },
    Row("pixels behind the end", "truncated") { $0.pixelStart = Int(Int32.max) },
    Row("pixels at the last offset", "truncated") { $0.pixelStart = Int(UInt32.max) },
    Row("many rows, few bytes", "truncated") { ($0.width, $0.height) = (3000, 3000) },
    Row("more memory than so few bytes may take", "limitExceeded") { ($0.width, $0.height) = (9000, 9000) },
    Row("40 bits", "corrupt") { $0.bits = 40 },
    Row("no bits", "corrupt") { $0.bits = 0 },
    Row("64 bits", "unsupportedFormat") { $0.bits = 64 },
    Row("unknown compression", "corrupt") { $0.compression = 77 },
    Row("masks without bits", "corrupt") {
      ($0.bits, $0.compression, $0.masks) = (32, 3, [0, 0, 0])
    },
    Row("a mask with a gap", "corrupt") {
      ($0.bits, $0.compression, $0.masks) = (32, 3, [0xFF00FF, 0xFF00, 0])
    },
    Row("masks of indices", "corrupt") { ($0.bits, $0.compression) = (8, 3) },
    Row("runs of words", "corrupt") { $0.compression = 1 },
    Row("unknown header", "corrupt") { $0.headerByteCount = 66 },
  ]

  @Test(arguments: rows) func isRefused(row: Row) {
    let error = #expect(throws: ImagingError.self) { try CoderRegistry.standard.decode(row.data) }
    #expect(error?.code == row.code, "\(error as Any)")
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    let fed = #expect(throws: ImagingError.self) {
      for byte in row.data { try decoder.append(Data([byte])) }
      _ = try decoder.finish()
    }
    #expect(fed?.code == row.code)
  }

  @Test("pixels inside the header: not a bitmap by its first bytes, and refused if told so")
  func insideTheHeader() {
    var builder = BMPDecoderTests.words24
    builder.pixelStart = 20
    #expect(ImageFormat.sniff(builder.data) == nil)
    #expect(throws: ImagingError.self) {
      try CoderRegistry.standard.decode(builder.data, options: DecodeOptions(formatHint: .bmp))
    }
  }

  @Test("few bytes take no memory for a large picture, however they arrive")
  func bomb() throws {
    var builder = BMPBuilder(width: 9000, height: 9000, bits: 8, compression: 1)
    builder.palette = BMPDecoderTests.colors
    builder.pixels = [4, 0, 0, 1]
    let error = #expect(throws: ImagingError.self) { try CoderRegistry.standard.decode(builder.data) }
    #expect(error?.code == "limitExceeded")
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    try? decoder.append(builder.data)
    #expect(throws: ImagingError.self) { try decoder.finish() }
  }

  @Test("whole, cut and damaged, in pieces as at once", arguments: [1, 4, 8, 16, 24, 32])
  func pieces(bits: Int) throws {
    var builder = BMPBuilder(width: 13, height: 9, bits: bits)
    if bits <= 8 { builder.palette = Array(BMPDecoderTests.colors.prefix(1 << bits)) }
    builder.pixels = (0..<(13 * bits + 31) / 32 * 4 * 9).map { UInt8(truncatingIfNeeded: $0 &* 29) }
    for allowsPartial in [false, true] {
      var decodes = IncrementalDecodes(decoder: BMPDecoder())
      decodes.options.allowsPartial = allowsPartial
      decodes.expectSameWhateverHappens(to: builder.data, seed: UInt64(bits))
      if bits == 4 || bits == 8 {
        builder.compression = bits == 4 ? 2 : 1
        decodes.expectSameWhateverHappens(to: builder.data, seed: UInt64(bits))
      }
    }
  }

  @Test("snapshots grow from the bottom")
  func snapshots() throws {
    let data = BMPDecoderTests.words24.data
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    try decoder.append(data.prefix(59))
    #expect(decoder.info?.size == PixelSize(width: 2, height: 2))
    #expect(try decoder.snapshot() == nil)
    try decoder.append(data[59..<64])
    #expect(try decoder.snapshot()?.bitmap.letters == "../BW")
    #expect(try decoder.snapshot() == nil && decoder.completedPasses == 0)
    try decoder.append(data[64...])
    #expect(decoder.completedPasses == 1)
    #expect(try decoder.finish().bitmap.letters == "RG/BW")
  }
}
