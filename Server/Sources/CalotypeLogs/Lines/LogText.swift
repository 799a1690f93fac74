/// Text inside of lines: no character of it ends a line, or changes the terminal.
enum LogText {
  /// Appends text in double quotes, as JSON writes it.
  static func quote(_ text: String, to line: inout String) {
    line += "\""
    func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C }
    // Texts of Swift are in one piece, others are not worth a path of their own.
    let isPlain =
      text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPlain) } ?? text.utf8.allSatisfy(isPlain)
    if isPlain { line += text } else { for scalar in text.unicodeScalars { escape(scalar, to: &line) } }
    line += "\""
  }

  /// Appends text, in quotes if it is empty or has more than letters, digits and a few signs.
  static func plain(_ text: String, to line: inout String) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-_.:/@+*%,".utf8.contains(byte)
      }
    }
    if isPlain, !text.isEmpty { line += text } else { quote(text, to: &line) }
  }

  private static func escape(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "\"": line += "\\\""
    case "\\": line += "\\\\"
    case "\n": line += "\\n"
    case "\r": line += "\\r"
    case "\t": line += "\\t"
    // Control characters, separators of lines, and those that reverse the direction of text.
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
      let digits = String(scalar.value, radix: 16)
      line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    default: line.unicodeScalars.append(scalar)
    }
  }
}
