/// The ranges of a `Range` field in bytes (RFC 9110 §14.2).
struct ByteRangeSet: Hashable, Sendable {
  /// The parts of a representation that a range set selects.
  enum Selection: Hashable, Sendable {
    /// The whole representation, in place of several parts.
    case whole
    /// One part, never empty.
    case part(Range<Int>)
    /// No part: no range is satisfiable.
    case none
  }

  /// A field with more ranges is ignored (RFC 9110 §17.15).
  private static let maxRanges = 50

  private var ranges: [ByteRange] = []

  /// Reads the value of `Range`; `nil` if it is to be ignored: malformed, of another unit, or of too many
  /// ranges. O(length).
  init?(_ text: String) {
    var reader = FieldReader(Array(text.utf8)[...])
    guard reader.token()?.lowercased() == "bytes", reader.skips("=") else { return nil }
    for element in FieldElements(reader.rest, quoting: .entityTags) {
      guard ranges.count < Self.maxRanges, let range = ByteRange(element) else { return nil }
      ranges.append(range)
    }
    if ranges.isEmpty { return nil }
  }

  /// Returns the part of a representation that all satisfiable ranges make up together.
  ///
  /// Ranges with gaps select the whole, which is allowed (RFC 9110 §14.2) and never longer than the
  /// representation.
  func selection(length: Int) -> Selection {
    let parts = ranges.compactMap { $0.resolved(length: length) }.sorted { $0.lowerBound < $1.lowerBound }
    guard var part = parts.first else { return .none }
    for next in parts.dropFirst() {
      guard next.lowerBound <= part.upperBound else { return .whole }
      part = part.lowerBound..<max(part.upperBound, next.upperBound)
    }
    // `Content-Range` cannot express the suffix of an empty representation.
    return part.isEmpty ? .whole : .part(part)
  }
}
