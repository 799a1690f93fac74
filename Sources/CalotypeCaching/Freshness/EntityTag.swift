/// The validator of a version of a resource (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
  /// Whether the tag only promises semantic equivalence, not equal bytes.
  public let isWeak: Bool
  /// The text between the quotes.
  public let opaque: String

  /// Reads the value of an `ETag` field, such as `"33a64df5"` or `W/"33a64df5"`; `nil` if it is not an entity tag.
  ///
  /// Tags without quotes are rejected: they could be confused with `*` or a list.
  public init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    isWeak = bytes.starts(with: "W/".utf8)
    if isWeak { bytes = bytes.dropFirst(2) }
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return nil
    }
    bytes = bytes.dropFirst().dropLast()
    // Visible and non-ASCII characters, except quotes.
    guard bytes.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }) else { return nil }
    opaque = String(decoding: bytes, as: UTF8.self)
  }

  /// Creates a strong tag of visible ASCII characters without quotes.
  package init(strong opaque: String) {
    self.opaque = opaque
    isWeak = false
  }

  /// The tag as written in a header field.
  public var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

  /// Returns whether both are strong and equal (RFC 9110 §8.8.3.2).
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Returns whether they are equal, weak or not, as `If-None-Match` compares them.
  public func matchesWeakly(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }
}

extension EntityTag: CustomStringConvertible {
  /// The tag as written in a header field.
  public var description: String { text }
}
