#if HEIF
/// The slices of a still picture: the data of an item (ISO/IEC 23008-12, annex B), checked so that one picture comes of
/// them, which refers to no other.
package struct HEVCAccessUnit {
  /// The slices, as ranges of the data.
  let slices: [Range<Int>]
  /// The parameters that all of them refer to.
  let parameters: HEVCConfiguration.Parameters

  /// The length of a slice header that is read.
  private static let maxHeaderLength = 256

  /// Reads the data of an item. Parameters are those of the configuration alone.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``; ``ImagingError/unsupportedFormat(_:reason:)`` for slices that
  ///   refer to other pictures.
  package init(_ data: RawSpan, _ configuration: HEVCConfiguration) throws(ImagingError) {
    var slices: [Range<Int>] = []
    var first: SliceHeader?
    var lastBlock = -1
    var fields = FieldReader(0..<data.byteCount, format: .heif)
    while fields.count > 0 {
      let length = Int(try fields.number(data, byteCount: configuration.lengthSize))
      let start = fields.position
      try fields.skip(length)
      guard let unit = HEVCUnit(start..<start + length, of: data), unit.isBase else { continue }
      switch unit.kind {
      case .dependentSlice:
        throw .unsupportedFormat(.heif, reason: "the picture refers to others")
      case .slice(let isInstantaneous):
        let header = try SliceHeader(
          unit, of: data, limit: Self.maxHeaderLength, isInstantaneous: isInstantaneous, configuration)
        // The slices of a picture are in order, and agree.
        guard header.block > lastBlock, first == nil || first?.agrees(with: header) == true else {
          throw Self.damaged("the slices are of different pictures, or not in order")
        }
        guard first != nil || header.block == 0 else { throw Self.damaged("the first slice is missing") }
        if first == nil { first = header }
        lastBlock = header.block
        slices.append(unit.range)
      default: break
      }
    }
    guard let first else { throw Self.damaged("the item has no slices") }
    (self.slices, parameters) = (slices, first.parameters)
  }

  fileprivate static func damaged(_ reason: String) -> ImagingError {
    .corrupt(.heif, reason: reason, offset: nil)
  }

  /// The beginning of the header of a slice (ITU-T H.265, 7.3.6.1).
  private struct SliceHeader {
    let type: UInt8
    let parameters: HEVCConfiguration.Parameters
    /// The index of the first block.
    private(set) var block = 0

    init(
      _ unit: HEVCUnit, of data: RawSpan, limit: Int, isInstantaneous: Bool,
      _ configuration: HEVCConfiguration
    ) throws(ImagingError) {
      type = unit.type
      var reader = HEVCBitReader(unit.range, of: data, limit: limit)
      let isFirst = try reader.flag()
      try reader.skip(1)
      parameters = try configuration.parameters(reader.unsigned(upTo: 63))
      let (picture, sequence) = (parameters.picture, parameters.sequence)
      var isDependent = false
      if !isFirst {
        if picture.hasDependentSlices { isDependent = try reader.flag() }
        block = try reader.bits(Self.bitCount(sequence.blockCount))
        guard block > 0, block < sequence.blockCount else {
          throw HEVCAccessUnit.damaged("a slice is outside of the picture")
        }
      }
      // It continues the slice before.
      guard !isDependent else { return }
      try reader.skip(picture.extraBitCount)
      guard try reader.unsigned(upTo: 2) == 2 else {
        throw .unsupportedFormat(.heif, reason: "the picture refers to others")
      }
      if picture.hasOutputFlag { try reader.skip(1) }
      guard !isInstantaneous else { return }
      try checkReferences(&reader, sequence)
    }

    /// Refuses references, which the decoder would have to make up.
    private func checkReferences(
      _ reader: inout HEVCBitReader, _ sequence: HEVCSequence
    ) throws(ImagingError) {
      try reader.skip(sequence.orderBitCount)
      var count: Int
      let setCount = sequence.referenceSets.count
      if try reader.flag() {
        let index = try reader.bits(Self.bitCount(setCount))
        guard index < setCount else { throw HEVCAccessUnit.damaged("a slice refers to a missing set") }
        count = sequence.referenceSets[index]
      } else {
        // A set of its own that differs from another refers to as many pictures, or one more.
        let isDerived = setCount > 0 ? try reader.flag() : false
        count = isDerived ? 1 : try reader.unsigned() + reader.unsigned()
      }
      if let longTermCount = sequence.longTermCount {
        if longTermCount > 0 { count += try reader.unsigned() }
        count += try reader.unsigned()
      }
      guard count == 0 else { throw .unsupportedFormat(.heif, reason: "the picture refers to others") }
    }

    /// Returns the number of bits of the numbers below a count.
    private static func bitCount(_ count: Int) -> Int {
      count <= 1 ? 0 : Int.bitWidth - (count - 1).leadingZeroBitCount
    }

    func agrees(with other: SliceHeader) -> Bool {
      type == other.type && parameters.picture.id == other.parameters.picture.id
    }
  }
}
#endif
