/// Text whose bytes can be trusted.
enum SafeText {
  /// The text of bytes that are UTF-8 and have no control characters, or `nil`.
  static func validated(_ bytes: some Collection<UInt8>) -> String? {
    guard !bytes.contains(where: isControl) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Text with `\u{…}` for characters that would change a terminal: controls, line separators, and those of direction.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
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
