#if HEIF
/// A NAL unit: its place in the file, and its header (ITU-T H.265, 7.3.1.2).
struct HEVCUnit {
  /// The kinds of units that a still picture is made of.
  enum Kind: Equatable {
    case slice(isInstantaneous: Bool)
    /// A slice of a picture that refers to others.
    case dependentSlice
    case sequence
    case picture
    case other
  }

  /// The positions of the unit, with its header.
  let range: Range<Int>
  /// The number of its type.
  let type: UInt8
  /// A Boolean value that indicates whether the unit belongs to the base layer.
  let isBase: Bool

  /// Reads the header; `nil` if the unit is too short, or is none.
  init?(_ range: Range<Int>, of bytes: RawSpan) {
    guard range.count > HEVCBitReader.headerLength, let first = bytes.byte(at: range.lowerBound),
      let second = bytes.byte(at: range.lowerBound + 1), first & 0x80 == 0
    else { return nil }
    self.range = range
    type = first >> 1
    // The layer is 0, and the temporal layer the lowest.
    isBase = first & 1 == 0 && second == 1
  }

  var kind: Kind {
    switch type {
    // IDR pictures.
    case 19, 20: .slice(isInstantaneous: true)
    // BLA and CRA pictures.
    case 16...18, 21: .slice(isInstantaneous: false)
    case 0...31: .dependentSlice
    case 33: .sequence
    case 34: .picture
    default: .other
    }
  }
}
#endif
