/// Writes the bits of parameter sets.
struct HEVCBitWriter {
  private(set) var bits: [Bool] = []

  mutating func number(_ value: Int, _ count: Int) {
    for index in (0..<count).reversed() { bits.append(value >> index & 1 != 0) }
  }

  mutating func flag(_ value: Bool) { bits.append(value) }

  mutating func unsigned(_ value: Int) {
    let length = Int.bitWidth - (value + 1).leadingZeroBitCount
    number(0, length - 1)
    number(value + 1, length)
  }

  mutating func signed(_ value: Int) { unsigned(value > 0 ? 2 * value - 1 : -2 * value) }

  /// The bytes behind a header of a NAL unit, with the bit that ends them, and with emulation prevention.
  func unit(_ type: UInt8) -> [UInt8] {
    var padded = bits + [true]
    while padded.count % 8 != 0 { padded.append(false) }
    var bytes: [UInt8] = [type << 1, 1]
    var zeros = 0
    for start in stride(from: 0, to: padded.count, by: 8) {
      let byte = padded[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } as UInt8
      if zeros >= 2, byte <= 3 {
        bytes.append(3)
        zeros = 0
      }
      zeros = byte == 0 ? zeros + 1 : 0
      bytes.append(byte)
    }
    return bytes
  }
}

/// Sequence parameters to write.
struct HEVCSequenceSample {
  var subLayers = 0
  var id = 0
  var chroma = 1
  var width = 64
  var height = 64
  /// Units of the window on the left, right, top and bottom.
  var window: [Int]?
  var depth = 8
  var chromaDepth = 8
  var smallestBlock = 3
  var largestBlock = 4
  var hasScalingLists = false
  var hasRawSamples = false
  /// Writes the sets of references.
  var referenceSets: @Sendable (inout HEVCBitWriter) -> Void = { $0.unsigned(0) }
  var longTerm: Int?
  /// Primaries, transfer, matrix and range.
  var colors: (Int, Int, Int, Bool)?

  var unit: [UInt8] {
    var writer = HEVCBitWriter()
    writer.number(0, 4)
    writer.number(subLayers, 3)
    writer.flag(true)
    writer.number(3, 8)
    writer.number(0, 80)
    writer.number(30, 8)
    if subLayers > 0 {
      for _ in 0..<subLayers { writer.number(0b11, 2) }
      writer.number(0, 2 * (8 - subLayers))
      for _ in 0..<subLayers { writer.number(0, 96) }
    }
    writer.unsigned(id)
    writer.unsigned(chroma)
    if chroma == 3 { writer.flag(false) }
    writer.unsigned(width)
    writer.unsigned(height)
    writer.flag(window != nil)
    for unit in window ?? [] { writer.unsigned(unit) }
    writer.unsigned(depth - 8)
    writer.unsigned(chromaDepth - 8)
    writer.unsigned(4)
    writer.flag(subLayers > 0)
    for _ in 0...subLayers { for value in [4, 2, 0] { writer.unsigned(value) } }
    for value in [smallestBlock - 3, largestBlock - smallestBlock, 0, 2, 1, 1] { writer.unsigned(value) }
    writer.flag(hasScalingLists)
    if hasScalingLists { writeScalingLists(&writer) }
    writer.number(0b11, 2)
    writer.flag(hasRawSamples)
    if hasRawSamples {
      writer.number(0x77, 8)
      writer.unsigned(0)
      writer.unsigned(1)
      writer.flag(false)
    }
    referenceSets(&writer)
    writer.flag(longTerm != nil)
    if let longTerm {
      writer.unsigned(longTerm)
      writer.number(0, 9 * longTerm)
    }
    writer.number(0b11, 2)
    writer.flag(colors != nil)
    if let colors {
      writer.flag(true)
      writer.number(255, 8)
      writer.number(0x0001_0001, 32)
      writer.number(0b11, 2)
      writer.flag(true)
      writer.number(5, 3)
      writer.flag(colors.3)
      writer.flag(true)
      for point in [colors.0, colors.1, colors.2] { writer.number(point, 8) }
    }
    return writer.unit(33)
  }

  private func writeScalingLists(_ writer: inout HEVCBitWriter) {
    writer.flag(true)
    for size in 0..<4 {
      for matrix in Swift.stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        writer.flag(matrix % 2 == 0)
        if matrix % 2 != 0 {
          writer.unsigned(matrix / 3)
          continue
        }
        if size > 1 { writer.signed(-3) }
        for index in 0..<min(64, 1 << (4 + 2 * size)) { writer.signed(index % 5 - 2) }
      }
    }
  }
}
