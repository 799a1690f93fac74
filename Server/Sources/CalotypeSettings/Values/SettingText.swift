/// Checks, splits and shortens the texts of settings.
enum SettingText {
  /// The text in place of a secret.
  static let mask = "••••"

  /// Whether a text has control characters other than tabs; lines may be divided if `multiline`.
  static func hasControls(_ text: String, multiline: Bool = false) -> Bool {
    text.utf8.contains { byte in
      guard byte < 0x20 || byte == 0x7F else { return false }
      if byte == 0x09 { return false }
      return !(multiline && (byte == 0x0A || byte == 0x0D))
    }
  }

  /// A text without the spaces, tabs and line ends around it.
  static func trimmed(_ text: some StringProtocol) -> String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    var bytes = Array(text.utf8)[...]
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A text in one line of at most 64 bytes, without control characters.
  static func shortened(_ text: String) -> String {
    let limit = 64
    let bytes = text.utf8.prefix(limit).map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
    var short = String(decoding: bytes, as: UTF8.self)
    // A character that is cut in two.
    while short.last == "\u{FFFD}" { short.removeLast() }
    return text.utf8.count > limit ? short + "…" : short
  }

  /// The parts of a text between separators.
  static func split(_ text: String, by separator: String) -> [String] {
    let bytes = Array(text.utf8)
    let mark = Array(separator.utf8)
    guard !mark.isEmpty else { return [text] }
    var parts: [String] = []
    var start = 0
    var position = 0
    while position + mark.count <= bytes.count {
      if bytes[position..<position + mark.count].elementsEqual(mark) {
        parts.append(String(decoding: bytes[start..<position], as: UTF8.self))
        position += mark.count
        start = position
      } else {
        position += 1
      }
    }
    parts.append(String(decoding: bytes[start...], as: UTF8.self))
    return parts
  }

  /// A decimal number, with or without a sign, or `nil`, also if it is too big.
  static func integer(_ text: some StringProtocol) -> Int? {
    guard text.utf8.count <= 20 else { return nil }
    return Int(text)
  }

  /// A finite decimal number such as `5`, `0.25` or `1e-3`, or `nil`.
  static func real(_ text: String) -> Double? {
    guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy("0123456789+-.eE".utf8.contains),
      let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// A real number without a needless fraction.
  static func write(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : "\(number)"
  }

  /// The bytes of hexadecimal digits, or `nil`.
  static func hexadecimal(_ text: String) -> [UInt8]? {
    func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 0x30...0x39: byte - 0x30
      case 0x41...0x46: byte - 0x37
      case 0x61...0x66: byte - 0x57
      default: nil
      }
    }
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
