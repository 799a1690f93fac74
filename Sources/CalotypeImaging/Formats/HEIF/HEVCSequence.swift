#if HEIF
/// The sequence parameters of HEVC (SPS; ITU-T H.265, 7.3.2.2), as far as the decode of a still picture depends on them.
package struct HEVCSequence: Sendable {
  /// The identifier.
  package private(set) var id = 0
  /// Chroma: 0 for none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  package private(set) var chroma = 0
  /// The size of the coded picture, in whole coding blocks.
  package private(set) var codedSize = PixelSize(width: 0, height: 0)
  /// The size of the picture: the conformance window.
  package private(set) var size = PixelSize(width: 0, height: 0)
  /// Bits per sample.
  package private(set) var depth = 8
  /// The colours; unspecified, and of the limited range, unless the parameters tell.
  package private(set) var colors = ItemProperty.CodePoints(
    primaries: 2, transfer: 2, matrix: 2, isFullRange: false)

  /// Bits of the order of pictures in a slice header.
  private(set) var orderBitCount = 4
  /// The number of pictures in each of the sets of references.
  private(set) var referenceSets: [Int] = []
  /// The number of long-term references; `nil` if slices have none.
  private(set) var longTermCount: Int?
  /// The number of coding tree blocks.
  private(set) var blockCount = 0

  /// The length that is read.
  private static let maxLength = 4096
  /// The largest side, far beyond that of all levels.
  private static let maxSide = 65_535

  /// Reads a NAL unit.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``; ``ImagingError/unsupportedFormat(_:reason:)`` for planes that
  ///   are coded each on its own, samples of more than 12 bits, and chroma of another depth than luma.
  package init(_ unit: Range<Int>, of bytes: RawSpan) throws(ImagingError) {
    var reader = HEVCBitReader(unit, of: bytes, limit: Self.maxLength)
    try reader.skip(4)
    let subLayers = try reader.bits(3)
    guard subLayers <= 6 else { throw HEVCBitReader.corrupt("have too many layers") }
    try reader.skip(1)
    try Self.skipProfile(&reader, subLayers: subLayers)
    id = try reader.unsigned(upTo: 15)
    chroma = try reader.unsigned(upTo: 3)
    if chroma == 3, try reader.flag() {
      throw .unsupportedFormat(.heif, reason: "the planes are coded each on its own")
    }
    try readSize(&reader)
    try readDepth(&reader)
    orderBitCount = try reader.unsigned(upTo: 12) + 4
    // The sizes of buffers: once, or for each layer.
    for _ in (try reader.flag() ? 0 : subLayers)...subLayers {
      for _ in 0..<3 { _ = try reader.unsigned() }
    }
    try readBlocks(&reader)
    if try reader.flag(), try reader.flag() { try Self.skipScalingLists(&reader) }
    try reader.skip(2)
    // Samples without compression.
    if try reader.flag() {
      try reader.skip(8)
      _ = try reader.unsigned(upTo: 2)
      _ = try reader.unsigned(upTo: 2)
      try reader.skip(1)
    }
    try readReferences(&reader)
    try reader.skip(2)
    if try reader.flag() { try readUsability(&reader) }
  }

  private static func skipProfile(_ reader: inout HEVCBitReader, subLayers: Int) throws(ImagingError) {
    try reader.skip(88 + 8)
    guard subLayers > 0 else { return }
    var layers: [(hasProfile: Bool, hasLevel: Bool)] = []
    for _ in 0..<subLayers { layers.append((try reader.flag(), try reader.flag())) }
    try reader.skip(2 * (8 - subLayers))
    for layer in layers { try reader.skip((layer.hasProfile ? 88 : 0) + (layer.hasLevel ? 8 : 0)) }
  }

  private mutating func readSize(_ reader: inout HEVCBitReader) throws(ImagingError) {
    let (width, height) = (
      try reader.unsigned(upTo: Self.maxSide), try reader.unsigned(upTo: Self.maxSide)
    )
    guard width > 0, height > 0 else { throw HEVCBitReader.corrupt("state an empty picture") }
    codedSize = PixelSize(width: width, height: height)
    size = codedSize
    guard try reader.flag() else { return }
    let (unitX, unitY) = (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)
    let (left, right) = (try reader.unsigned(upTo: Self.maxSide), try reader.unsigned(upTo: Self.maxSide))
    let (top, bottom) = (try reader.unsigned(upTo: Self.maxSide), try reader.unsigned(upTo: Self.maxSide))
    size = PixelSize(width: width - unitX * (left + right), height: height - unitY * (top + bottom))
    guard size.width > 0, size.height > 0 else {
      throw HEVCBitReader.corrupt("state a window that is not in the picture")
    }
  }

  private mutating func readDepth(_ reader: inout HEVCBitReader) throws(ImagingError) {
    depth = try reader.unsigned(upTo: 8) + 8
    let chromaDepth = try reader.unsigned(upTo: 8) + 8
    guard depth <= 12 else { throw .unsupportedFormat(.heif, reason: "the samples have \(depth) bits") }
    guard chroma == 0 || chromaDepth == depth else {
      throw .unsupportedFormat(.heif, reason: "luma has \(depth) bits, chroma \(chromaDepth)")
    }
  }

  private mutating func readBlocks(_ reader: inout HEVCBitReader) throws(ImagingError) {
    // The logarithms of the smallest and the largest coding block.
    let smallest = try reader.unsigned(upTo: 3) + 3
    let largest = smallest + (try reader.unsigned(upTo: 3))
    let smallestTransform = try reader.unsigned(upTo: 3) + 2
    let largestTransform = smallestTransform + (try reader.unsigned(upTo: 3))
    guard 4...6 ~= largest, smallestTransform < smallest, largestTransform <= min(largest, 5) else {
      throw HEVCBitReader.corrupt("state impossible sizes of blocks")
    }
    guard codedSize.width % (1 << smallest) == 0, codedSize.height % (1 << smallest) == 0 else {
      throw HEVCBitReader.corrupt("state a picture that is not of whole blocks")
    }
    for _ in 0..<2 { _ = try reader.unsigned(upTo: largest - smallestTransform) }
    let (across, down) = (
      (codedSize.width + (1 << largest) - 1) >> largest, (codedSize.height + (1 << largest) - 1) >> largest
    )
    blockCount = across * down
  }

  private static func skipScalingLists(_ reader: inout HEVCBitReader) throws(ImagingError) {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard try reader.flag() else {
          _ = try reader.unsigned(upTo: 5)
          continue
        }
        if size > 1 { _ = try reader.signed() }
        for _ in 0..<min(64, 1 << (4 + 2 * size)) { _ = try reader.signed() }
      }
    }
  }

  private mutating func readReferences(_ reader: inout HEVCBitReader) throws(ImagingError) {
    let count = try reader.unsigned(upTo: 64)
    var sets: [HEVCReferenceSet] = []
    for index in 0..<count {
      sets.append(try HEVCReferenceSet(&reader, index: index, sets: sets, total: count))
    }
    referenceSets = sets.map(\.count)
    guard try reader.flag() else { return }
    let longTerm = try reader.unsigned(upTo: 32)
    try reader.skip(longTerm * (orderBitCount + 1))
    longTermCount = longTerm
  }

  /// Reads the beginning of the video usability information (E.2.1): what follows the colours does not matter.
  private mutating func readUsability(_ reader: inout HEVCBitReader) throws(ImagingError) {
    // An aspect ratio of its own.
    if try reader.flag(), try reader.bits(8) == 255 { try reader.skip(32) }
    // Overscan.
    if try reader.flag() { try reader.skip(1) }
    guard try reader.flag() else { return }
    try reader.skip(3)
    let isFullRange = try reader.flag()
    let hasPoints = try reader.flag()
    func point() throws(ImagingError) -> UInt16 { hasPoints ? UInt16(try reader.bits(8)) : 2 }
    colors = ItemProperty.CodePoints(
      primaries: try point(), transfer: try point(), matrix: try point(), isFullRange: isFullRange)
  }
}
#endif
