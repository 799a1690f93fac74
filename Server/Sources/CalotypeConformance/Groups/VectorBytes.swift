/// Bytes as vectors write them: `utf8:text`, `hex:00ff`, or text.
enum VectorBytes {
  static func read(_ text: String) -> [UInt8] {
    guard text.hasPrefix("hex:") else {
      return Array((text.hasPrefix("utf8:") ? text.dropFirst(5) : text[...]).utf8)
    }
    let digits = text.dropFirst(4).compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
