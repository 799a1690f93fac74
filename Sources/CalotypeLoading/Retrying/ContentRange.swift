/// The range of bytes in a response (RFC 9110 §14.4).
package enum ContentRange: Hashable {
  /// `bytes 0-499/1234`: the range and the total length; `nil` when the server does not know it.
  case bytes(Range<Int>, of: Int?)
  /// `bytes */1234`: the range is not satisfiable, with the total length.
  case unsatisfied(of: Int)

  /// Parses the value of a field; `nil` for other units, impossible ranges, and malformed values.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.prefix(5).map({ $0 | 32 }).elementsEqual("bytes".utf8),
      bytes.dropFirst(5).first == UInt8(ascii: " ")
    else { return nil }
    let parts = bytes.dropFirst(6).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let isOpen = parts[1].elementsEqual("*".utf8)
    let total = Self.number(parts[1])
    guard isOpen || total != nil else { return nil }
    if parts[0].elementsEqual("*".utf8) {
      guard let total else { return nil }
      self = .unsatisfied(of: total)
      return
    }
    let ends = parts[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      last < total ?? .max
    else { return nil }
    self = .bytes(first..<last + 1, of: total)
  }

  /// Parses digits; `nil` for numbers that overflow.
  private static func number(_ text: Substring.UTF8View) -> Int? {
    guard !text.isEmpty else { return nil }
    var number = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      number = sum
    }
    return number
  }
}
