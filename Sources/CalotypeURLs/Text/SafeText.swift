/// Text whose bytes can be trusted.
enum SafeText {
  /// The text of bytes that are UTF-8 and have no control characters, or `nil`.
  static func validated(_ bytes: some Collection<UInt8>) -> String? {
    guard !bytes.contains(where: isControl) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Whether a byte is a control character of ASCII.
  static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  /// Whether a text is the same in a segment of a path, from builder to parser: printable ASCII without a delimiter of URLs
  /// and without `%3A`, which is repaired to a colon.
  static func isSegment(_ text: some StringProtocol) -> Bool {
    var previous: (UInt8, UInt8) = (0, 0)
    for byte in text.utf8 {
      guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "/"), byte != UInt8(ascii: "?"),
        byte != UInt8(ascii: "#"),
        previous != (UInt8(ascii: "%"), UInt8(ascii: "3")) || byte != UInt8(ascii: "A")
      else { return false }
      previous = (previous.1, byte)
    }
    return true
  }
}
