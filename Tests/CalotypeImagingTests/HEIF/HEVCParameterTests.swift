#if HEIF
import Testing

@testable import CalotypeImaging

@Suite("HEVC: parameters and slices")
struct HEVCParameterTests {
  private func sequence(_ sample: HEVCSequenceSample) throws -> HEVCSequence {
    let unit = sample.unit
    return try HEVCSequence(0..<unit.count, of: unit.span.bytes)
  }

  @Test("sizes, depths, chroma and colours")
  func sequences() throws {
    let plain = try sequence(HEVCSequenceSample())
    #expect(plain.size == PixelSize(width: 64, height: 64) && plain.chroma == 1 && plain.depth == 8)
    #expect(!plain.colors.isFullRange && plain.colors.matrix == 2)
    // All parts in front of the colours are there, in all of their forms.
    var full = HEVCSequenceSample(
      subLayers: 2, id: 5, chroma: 1, width: 4032, height: 3040, window: [1, 2, 3, 5], depth: 10,
      chromaDepth: 10, largestBlock: 6, hasScalingLists: true, hasRawSamples: true, longTerm: 2,
      colors: (12, 13, 6, true))
    full.referenceSets = { writer in
      writer.unsigned(3)
      // Two before, at 1 and 4, and one after.
      for value in [2, 1] { writer.unsigned(value) }
      for step in [0, 2, 1] {
        writer.unsigned(step)
        writer.flag(true)
      }
      // The same, moved by one: the distances -1 and 4 lose their places, and 0 is the picture itself.
      writer.flag(true)
      writer.flag(false)
      writer.unsigned(0)
      for _ in 0..<4 { writer.flag(true) }
      // Of these, those that are used at all: neither itself nor kept for later is `00`.
      writer.flag(true)
      writer.flag(true)
      writer.unsigned(1)
      for bits in [0b00, 0b01] { writer.number(bits, 2) }
      for _ in 0..<2 { writer.flag(true) }
    }
    let found = try sequence(full)
    #expect(found.id == 5 && found.codedSize == PixelSize(width: 4032, height: 3040))
    #expect(found.size == PixelSize(width: 4026, height: 3024) && found.depth == 10)
    #expect(
      found.colors
        == ItemProperty.CodePoints(primaries: 12, transfer: 13, matrix: 6, isFullRange: true))
    #expect(found.referenceSets == [3, 3, 3] && found.longTermCount == 2)
  }

  @Test("windows count in samples of chroma", arguments: [(0, 1, 1), (1, 2, 2), (2, 2, 1), (3, 1, 1)])
  func windows(chroma: Int, unitX: Int, unitY: Int) throws {
    let found = try sequence(HEVCSequenceSample(chroma: chroma, window: [0, 3, 0, 5]))
    #expect(found.size == PixelSize(width: 64 - 3 * unitX, height: 64 - 5 * unitY))
  }

  @Test("what cannot be is damage, what is not decoded is named")
  func refused() {
    func code(_ sample: HEVCSequenceSample) -> String? {
      do {
        _ = try sequence(sample)
        return nil
      } catch {
        return (error as? ImagingError)?.code
      }
    }
    #expect(code(HEVCSequenceSample(width: 0)) == "corrupt")
    #expect(code(HEVCSequenceSample(width: 60)) == "corrupt")
    #expect(code(HEVCSequenceSample(width: 1 << 20)) == "corrupt")
    #expect(code(HEVCSequenceSample(window: [16, 16, 0, 0])) == "corrupt")
    #expect(code(HEVCSequenceSample(largestBlock: 3)) == "corrupt")
    #expect(code(HEVCSequenceSample(id: 16)) == "corrupt")
    #expect(code(HEVCSequenceSample(longTerm: 33)) == "corrupt")
    #expect(code(HEVCSequenceSample(depth: 14, chromaDepth: 14)) == "unsupportedFormat")
    #expect(code(HEVCSequenceSample(depth: 8, chromaDepth: 10)) == "unsupportedFormat")
    var many = HEVCSequenceSample()
    many.referenceSets = { $0.unsigned(65) }
    #expect(code(many) == "corrupt")
    many.referenceSets = { writer in
      writer.unsigned(1)
      for _ in 0..<2 { writer.unsigned(9) }
      for _ in 0..<18 { writer.number(0b11, 2) }
    }
    #expect(code(many) == "corrupt")
  }

  @Test("parameters that end early throw at every length")
  func truncated() throws {
    let unit = HEVCSequenceSample(subLayers: 1, hasScalingLists: true, colors: (1, 13, 6, true)).unit
    // The last bits end the unit; cut there, nothing is missing.
    for count in 0..<unit.count - 2 {
      #expect(throws: ImagingError.self) { try HEVCSequence(0..<count, of: unit.span.bytes) }
    }
  }

  @Test("three bytes that would be a start code are undone")
  func emulation() throws {
    let unit: [UInt8] = [0x42, 1, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3]
    var reader = HEVCBitReader(0..<unit.count, of: unit.span.bytes, limit: 100)
    var bytes: [Int] = []
    while let byte = try? reader.bits(8) { bytes.append(byte) }
    #expect(bytes == [0, 0, 1, 0, 0, 0, 0])
  }

  @Test("numbers of variable length")
  func numbers() throws {
    var writer = HEVCBitWriter()
    for value in [0, 1, 7, 255, 65_535, Int(UInt32.max) - 1] { writer.unsigned(value) }
    for value in [0, 1, -1, 100, -4096] { writer.signed(value) }
    let unit = writer.unit(33)
    var reader = HEVCBitReader(0..<unit.count, of: unit.span.bytes, limit: 100)
    for value in [0, 1, 7, 255, 65_535, Int(UInt32.max) - 1] { #expect(try reader.unsigned() == value) }
    for value in [0, 1, -1, 100, -4096] { #expect(try reader.signed() == value) }
    let zeros = [UInt8](repeating: 0, count: 12).enumerated().map { $0.offset % 2 == 0 ? UInt8(0) : 0 }
    var endless = HEVCBitReader(0..<12, of: zeros.span.bytes, limit: 100)
    #expect(throws: ImagingError.self) { try endless.unsigned() }
  }

  // MARK: Slices

  /// The parameters of a picture with dependent slices, and of a sequence of 8 by 8 blocks of 16 pixels.
  private func configuration(_ sample: HEVCSequenceSample = HEVCSequenceSample(width: 128, height: 128))
    throws
    -> HEVCConfiguration
  {
    var picture = HEVCBitWriter()
    picture.unsigned(0)
    picture.unsigned(sample.id)
    picture.number(0b10_000, 5)
    let units = [sample.unit, picture.unit(34)]
    var box = [UInt8](repeating: 0, count: 21) + [3, UInt8(units.count)]
    for unit in units {
      box += [0x80 | unit[0] >> 1, 0, 1] + BoxBuilder.number(unit.count, 2) + unit
    }
    return try HEVCConfiguration(0..<box.count, of: box.span.bytes)
  }

  /// The slice that begins at a block.
  private func slice(
    at block: Int = 0, type: UInt8 = 19, kind: Int = 2, isDependent: Bool = false,
    _ more: (inout HEVCBitWriter) -> Void = { _ in }
  ) -> [UInt8] {
    var writer = HEVCBitWriter()
    writer.flag(block == 0)
    writer.flag(false)
    writer.unsigned(0)
    if block > 0 {
      writer.flag(isDependent)
      writer.number(block, 6)
    }
    if !isDependent { writer.unsigned(kind) }
    more(&writer)
    writer.number(0x55, 8)
    return writer.unit(type)
  }

  private func code(_ units: [[UInt8]], _ sample: HEVCSequenceSample? = nil) -> String? {
    let data = units.flatMap { BoxBuilder.number($0.count, 4) + $0 }
    do {
      let unit = try HEVCAccessUnit(
        data.span.bytes, sample.map { try configuration($0) } ?? configuration())
      return unit.slices.isEmpty ? "empty" : nil
    } catch {
      return (error as? ImagingError)?.code
    }
  }

  @Test("one picture, whose slices are in order")
  func slices() {
    #expect(code([slice()]) == nil)
    #expect(code([slice(), slice(at: 8), slice(at: 9, isDependent: true)]) == nil)
    // Other units do not count: messages, and layers beyond the base.
    #expect(code([[39 << 1, 1, 0x80], slice(), [19 << 1, 9, 0xFF]]) == nil)
    #expect(code([]) == "corrupt")
    #expect(code([slice(at: 8)]) == "corrupt")
    #expect(code([slice(), slice()]) == "corrupt")
    #expect(code([slice(), slice(at: 9), slice(at: 8)]) == "corrupt")
    #expect(code([slice(), slice(at: 8, type: 20)]) == "corrupt")
  }

  @Test("a picture that refers to others is refused")
  func references() {
    #expect(code([slice(kind: 1)]) == "unsupportedFormat")
    #expect(code([slice(kind: 3)]) == "corrupt")
    #expect(code([slice(type: 1)]) == "unsupportedFormat")
    // A clean random access point: the order of the picture, and then its own set.
    func clean(_ counts: (Int, Int), longTerm: Int? = nil) -> [UInt8] {
      slice(type: 21) { writer in
        writer.number(0, 8)
        writer.flag(false)
        writer.unsigned(counts.0)
        writer.unsigned(counts.1)
        if let longTerm { writer.unsigned(longTerm) }
      }
    }
    #expect(code([clean((0, 0))]) == nil)
    #expect(code([clean((1, 0))]) == "unsupportedFormat")
    #expect(code([clean((0, 2))]) == "unsupportedFormat")
    let longTerm = HEVCSequenceSample(width: 128, height: 128, longTerm: 0)
    #expect(code([clean((0, 0), longTerm: 0)], longTerm) == nil)
    #expect(code([clean((0, 0), longTerm: 1)], longTerm) == "unsupportedFormat")
    // A set of the sequence: the first of two is empty.
    var sets = HEVCSequenceSample(width: 128, height: 128)
    sets.referenceSets = { writer in
      for value in [2, 0, 0] { writer.unsigned(value) }
      writer.flag(false)
      for value in [1, 0, 0] { writer.unsigned(value) }
      writer.flag(true)
    }
    func chosen(_ index: Int) -> [UInt8] {
      slice(type: 21) { writer in
        writer.number(0, 8)
        writer.flag(true)
        writer.number(index, 1)
      }
    }
    #expect(code([chosen(0)], sets) == nil)
    #expect(code([chosen(1)], sets) == "unsupportedFormat")
  }

  @Test("lengths beyond the data, and missing parameters, are damage")
  func damage() throws {
    let unit = slice()
    var data = BoxBuilder.number(unit.count + 1, 4) + unit
    #expect(throws: ImagingError.self) { try HEVCAccessUnit(data.span.bytes, configuration()) }
    data = BoxBuilder.number(unit.count, 4) + unit
    let none = [UInt8](repeating: 0, count: 22) + [0]
    let empty = try HEVCConfiguration(0..<none.count, of: none.span.bytes)
    #expect(throws: ImagingError.self) { try HEVCAccessUnit(data.span.bytes, empty) }
  }
}
#endif
