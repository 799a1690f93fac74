extension TOMLScanner {
  /// Takes a string of one line.
  mutating func string(_ quote: UInt8, isLiteral: Bool) throws(FileFault) -> String {
    _ = take(quote)
    var text: [UInt8] = []
    while let byte = peek(), byte != 0x0A {
      if take(quote) { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\"), !isLiteral {
        try escape(into: &text)
      } else {
        text.append(byte)
        _ = take(byte)
      }
    }
    throw FileFault(line: line, rule: "a string ends in its line", remedy: "add a quotation mark")
  }

  /// Takes a string between three quotes each. A line end behind the first is not part of it.
  mutating func multilineString(_ quote: UInt8, isLiteral: Bool) throws(FileFault) -> String {
    let start = line
    for _ in 0..<3 { _ = take(quote) }
    if peek() == 0x0D, peek(1) == 0x0A { _ = take(0x0D) }
    _ = take(0x0A)
    var text: [UInt8] = []
    while let byte = peek() {
      if byte == quote, peek(1) == quote, peek(2) == quote {
        // Up to two more quotes belong to the text.
        while peek(3) == quote, text.count < SettingReader.maxBytes {
          text.append(quote)
          _ = take(quote)
        }
        for _ in 0..<3 { _ = take(quote) }
        return String(decoding: text, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\"), !isLiteral {
        if let next = peek(1), next == 0x0A || next == 0x0D || next == 0x20 {
          _ = take(byte)
          while let space = peek(), space == 0x20 || space == 0x09 || space == 0x0A || space == 0x0D {
            _ = take(space)
          }
        } else {
          try escape(into: &text)
        }
      } else {
        if byte != 0x0D || peek(1) != 0x0A { text.append(byte) }
        _ = take(byte)
      }
    }
    throw FileFault(
      line: start, rule: "a string of several lines ends with three quotes", remedy: "add them")
  }

  private mutating func escape(into text: inout [UInt8]) throws(FileFault) {
    let fault = FileFault(
      line: line, rule: "an escape is one of \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX",
      remedy: "double the backslash, or put the text in single quotation marks")
    _ = take(UInt8(ascii: "\\"))
    guard let byte = peek() else { throw fault }
    _ = take(byte)
    switch byte {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(byte)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      var digits: [UInt8] = []
      for _ in 0..<(byte == UInt8(ascii: "u") ? 4 : 8) {
        guard let digit = peek(), digit != 0x0A else { throw fault }
        digits.append(digit)
        _ = take(digit)
      }
      guard digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }),
        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw fault }
      text.append(contentsOf: String(Character(scalar)).utf8)
    default: throw fault
    }
  }
}
