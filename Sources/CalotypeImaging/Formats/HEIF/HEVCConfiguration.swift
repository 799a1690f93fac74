#if HEIF
/// The configuration of an item of HEVC: the box `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
package struct HEVCConfiguration {
  /// The number of bytes of the length in front of each unit of the item.
  let lengthSize: Int
  private var sequences: [Int: (unit: Range<Int>, parameters: HEVCSequence)] = [:]
  private var pictures: [Int: (unit: Range<Int>, parameters: HEVCPictureParameters)] = [:]

  /// The parameters of a picture, and the units that hold them.
  struct Parameters {
    let sequence: HEVCSequence
    let sequenceUnit: Range<Int>
    let picture: HEVCPictureParameters
    let pictureUnit: Range<Int>
  }

  /// The largest number of units.
  private static let maxUnitCount = 256

  /// Reads the content of the box.
  package init(_ content: Range<Int>, of bytes: RawSpan) throws(ImagingError) {
    var fields = FieldReader(content, format: .heif)
    try fields.skip(21)
    lengthSize = Int(try fields.byte(bytes) & 3) + 1
    var unitCount = 0
    for _ in 0..<(try fields.byte(bytes)) {
      try fields.skip(1)
      let count = Int(try fields.uint16(bytes))
      unitCount += count
      guard unitCount <= Self.maxUnitCount else { throw HEVCBitReader.corrupt("are too many") }
      for _ in 0..<count {
        let length = Int(try fields.uint16(bytes))
        let start = fields.position
        try fields.skip(length)
        guard let unit = HEVCUnit(start..<start + length, of: bytes), unit.isBase else { continue }
        switch unit.kind {
        case .sequence:
          let parameters = try HEVCSequence(unit.range, of: bytes)
          sequences[parameters.id] = (unit.range, parameters)
        case .picture:
          let parameters = try HEVCPictureParameters(unit.range, of: bytes)
          pictures[parameters.id] = (unit.range, parameters)
        default: break
        }
      }
    }
  }

  /// The sizes of the pictures of all sequences.
  package var sizes: [PixelSize] { sequences.values.map(\.parameters.size) }

  /// Returns the parameters that a slice refers to.
  func parameters(_ id: Int) throws(ImagingError) -> Parameters {
    guard let picture = pictures[id], let sequence = sequences[picture.parameters.sequenceID] else {
      throw HEVCBitReader.corrupt("\(id), which a slice refers to, are missing")
    }
    return Parameters(
      sequence: sequence.parameters, sequenceUnit: sequence.unit, picture: picture.parameters,
      pictureUnit: picture.unit)
  }
}
#endif
