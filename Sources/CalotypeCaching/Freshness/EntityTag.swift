/// The validator of a version of a resource (RFC 9110 §8.8.3).
public struct EntityTag: Hashable, Sendable {
  /// Whether it only promises that two versions mean the same, not that their bytes are equal.
  public let isWeak: Bool
  /// What stands between the quotes.
  public let opaque: String

  /// Reads the value of an `ETag` field, such as `"33a64df5"` or `W/"33a64df5"`; `nil` if it is none.
  ///
  /// Tags without quotes are none: what they are compared with may be `*` or a list.
  public init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    isWeak = bytes.starts(with: "W/".utf8)
    if isWeak { bytes = bytes.dropFirst(2) }
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return nil
    }
    bytes = bytes.dropFirst().dropLast()
    // Visible characters and what is not ASCII, but no quotes.
    guard bytes.allSatisfy({ $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }) else { return nil }
    opaque = String(decoding: bytes, as: UTF8.self)
  }

  /// As it stands in a field.
  public var text: String { (isWeak ? "W/\"" : "\"") + opaque + "\"" }

  /// Whether both are strong and the same (RFC 9110 §8.8.3.2).
  public func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Whether they are the same, weak or not: what `If-None-Match` asks.
  public func matchesWeakly(_ other: EntityTag) -> Bool { opaque.utf8.elementsEqual(other.opaque.utf8) }
}

extension EntityTag: CustomStringConvertible {
  /// As it stands in a field.
  public var description: String { text }
}
