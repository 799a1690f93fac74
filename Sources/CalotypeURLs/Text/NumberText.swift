/// Numbers as text, in a URL.
///
/// The forms that Go's `strconv` reads, which imgproxy uses, but for infinities, NaN, hexadecimal digits and underscores:
/// no client writes them, and NaN would pass every comparison.
enum NumberText {
  /// An integer in decimal digits, with an optional sign.
  static func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
    var digits = bytes
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard !digits.isEmpty else { return nil }
    var value = 0
    for byte in digits {
      guard let digit = digit(byte) else { return nil }
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      // Downwards, because the least number has no positive counterpart.
      let (sum, carry) = shifted.subtractingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      value = sum
    }
    guard isNegative || value != .min else { return nil }
    return isNegative ? value : -value
  }

  /// A finite number, with optional sign, fraction and exponent.
  static func real(_ bytes: ArraySlice<UInt8>) -> Double? {
    // Longer texts are no number that anybody means.
    guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
    var rest = bytes
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    let whole = rest.prefix { digit($0) != nil }
    rest.removeFirst(whole.count)
    var fractionCount = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fractionCount = rest.prefix { digit($0) != nil }.count
      rest.removeFirst(fractionCount)
    }
    guard whole.count + fractionCount > 0 else { return nil }
    if let mark = rest.first {
      guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return nil }
      guard integer(rest.dropFirst()) != nil else { return nil }
    }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }

  /// The shortest text that is read as the same number, without a fraction where there is none.
  static func text(_ value: Double) -> String {
    if value == 0 { return "0" }
    if let integer = Int(exactly: value), integer.magnitude < 1 << 53 { return String(integer) }
    return value.description
  }

  private static func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte) - 0x30 : nil
  }
}
