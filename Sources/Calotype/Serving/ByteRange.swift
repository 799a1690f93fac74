/// A range of bytes as a request writes it (RFC 9110 §14.1.2).
///
/// Numbers beyond `Int` are `Int.max`, which is beyond every representation.
enum ByteRange: Hashable, Sendable {
  /// `first-last`, where the last byte is included.
  case bounded(first: Int, last: Int)
  /// `first-`.
  case from(Int)
  /// `-count`.
  case suffix(Int)

  /// Reads one range; `nil` if it is malformed or ends before it begins.
  init?(_ text: ArraySlice<UInt8>) {
    var reader = FieldReader(text)
    let first = reader.number()
    guard reader.skips("-") else { return nil }
    let last = reader.number()
    guard reader.isAtEnd else { return nil }
    switch (first, last) {
    case (let first?, let last?):
      guard first <= last else { return nil }
      self = .bounded(first: first, last: last)
    case (let first?, nil): self = .from(first)
    case (nil, let last?): self = .suffix(last)
    case (nil, nil): return nil
    }
  }

  /// Returns the bytes of a representation in the range; `nil` if the range is unsatisfiable.
  ///
  /// Only a suffix of an empty representation is empty and satisfiable.
  func resolved(length: Int) -> Range<Int>? {
    switch self {
    case .bounded(let first, let last): first < length ? first..<min(last, length - 1) + 1 : nil
    case .from(let first): first < length ? first..<length : nil
    case .suffix(let count): count > 0 ? length - min(count, length)..<length : nil
    }
  }
}
