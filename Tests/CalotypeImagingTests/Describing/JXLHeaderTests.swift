import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("JPEG XL: headers")
struct JXLHeaderTests {
  /// Writes bits, the lowest first.
  private struct Bits {
    private var bits: [Bool] = []

    mutating func add(_ value: Int, _ count: Int) {
      for index in 0..<count { bits.append(value >> index & 1 == 1) }
    }

    var bytes: [UInt8] {
      stride(from: 0, to: bits.count, by: 8).map { start in
        bits[start..<min(start + 8, bits.count)].enumerated()
          .reduce(UInt8(0)) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) }
      }
    }
  }

  /// A codestream of 1,000 rows with one of the usual ratios, or of 24×16 pixels, with these fields behind the size.
  private static func codestream(isSmall: Bool = false, ratio: Int = 0, _ fields: [(Int, Int)]) -> [UInt8] {
    var bits = Bits()
    bits.add(isSmall ? 1 : 0, 1)
    if isSmall {
      bits.add(1, 5)
    } else {
      bits.add(1, 2)
      bits.add(999, 13)
    }
    bits.add(ratio, 3)
    if ratio == 0 {
      if isSmall {
        bits.add(2, 5)
      } else {
        bits.add(0, 2)
        bits.add(499, 9)
      }
    }
    for (value, count) in fields { bits.add(value, count) }
    return [0xFF, 0x0A] + bits.bytes + [0, 0]
  }

  /// Everything as usual.
  private static let plain = [(1, 1)]
  /// Orientation 6, an animation that plays three times, 10 bits, alpha, PQ.
  private static let rich = [
    (0, 1), (1, 1), (5, 3), (0, 1), (0, 1), (1, 1), (0, 2), (0, 2), (1, 2), (3, 3), (0, 1), (0, 1), (1, 2),
    (1, 1), (1, 2), (1, 1), (0, 1), (0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (0, 1), (2, 2), (14, 4),
  ]

  private static func probe(_ data: Data) throws(ImagingError) -> ImageInfo {
    try JXLDescriber().probe(data, limits: .default)
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { BoxBuilder.box(type, content) }
  private static let signature: [UInt8] =
    [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A] + BoxBuilder.brands("jxl ", "jxl ")

  @Test("sizes, by sides and by ratios")
  func sizes() throws {
    let ratios = [(0, 500), (1, 1000), (2, 1200), (3, 1333), (4, 1500), (5, 1777), (6, 1250), (7, 2000)]
    for (ratio, width) in ratios {
      let info = try Self.probe(Data(Self.codestream(ratio: ratio, Self.plain)))
      #expect(info == ImageInfo(format: .jxl, size: PixelSize(width: width, height: 1000)))
    }
    let small = try Self.probe(Data(Self.codestream(isSmall: true, Self.plain)))
    #expect(small.size == PixelSize(width: 24, height: 16))
  }

  @Test("orientation, animation, depth, alpha and curve")
  func metadata() throws {
    let data = Data(Self.codestream(Self.rich))
    let header = try #require(try CoderRegistry.standard.header(of: data + Data(count: 600)))
    let info = header.info
    #expect(info.orientation == .rightTop && info.loopCount == 3 && !header.hasAllFrames)
    #expect(info.bitDepth == 10 && info.hasAlpha && info.dynamicRange == .pq)
  }

  @Test("codestreams in boxes, whole and in parts")
  func boxes() throws {
    let stream = Self.codestream(Self.rich)
    let whole = try Self.probe(Data(stream))
    let parts =
      Self.box("jxlp", [0, 0, 0, 0] + stream.prefix(4)) + Self.box("Exif", [1, 2])
      + Self.box("jxlp", [0x80, 0, 0, 1] + stream.dropFirst(4))
    for content in [Self.box("brob", [9, 9]) + Self.box("jxlc", stream), parts] {
      #expect(try Self.probe(Data(Self.signature + content)) == whole)
    }
    let swapped =
      Self.box("jxlp", [0x80, 0, 0, 1] + stream.dropFirst(4))
      + Self.box("jxlp", [0, 0, 0, 0] + stream.prefix(4))
    #expect(throws: ImagingError.self) { try Self.probe(Data(Self.signature + swapped)) }
    #expect(throws: ImagingError.self) { try Self.probe(Data(Self.signature)) }
    let short = Self.box("jxlc", Array(stream.prefix(5)))
    #expect(throws: ImagingError.self) { try Self.probe(Data(Self.signature + short)) }
  }

  @Test("sizes beyond the limits")
  func limits() throws {
    var bits = Bits()
    for (value, count) in [(0, 1), (3, 2), (1 << 30 - 1, 30), (1, 3), (1, 1)] { bits.add(value, count) }
    #expect(throws: ImagingError.self) {
      try Self.probe(Data([0xFF, 0x0A] + bits.bytes))
    }
  }

  @Test("each prefix, and each byte changed, is answered")
  func robustness() throws {
    let stream = Self.codestream(Self.rich)
    for data in [Data(stream), Data(Self.signature + Self.box("jxlc", stream))] {
      let whole = try Self.probe(data)
      for count in 0...data.count {
        _ = try? Self.probe(data.prefix(count))
        if let header = try? JXLDescriber().header(of: data.prefix(count), limits: .default) {
          #expect(header.info == whole)
        }
      }
      for index in data.indices {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
          var changed = data
          changed[index] = value
          _ = try? Self.probe(changed)
        }
      }
    }
  }
}
