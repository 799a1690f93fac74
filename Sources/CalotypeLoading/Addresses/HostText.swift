/// The host of a URL as written: its meaning, and whether all URL parsers agree on it. Pure.
///
/// Parsers differ: `0177.1` is a name to one and 127.0.0.1 to another, and a full stop of another script is a letter or
/// a dot. An ambiguous host cannot be checked reliably, so it is refused.
struct HostText {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The address, if the host is an address in canonical spelling; IPv6 with or without brackets.
  var address: IPAddress? {
    guard text.utf8.first == UInt8(ascii: "[") else { return IPAddress(text) }
    guard text.utf8.last == UInt8(ascii: "]"), let address = IPAddress(String(text.dropFirst().dropLast())),
      !address.isIPv4
    else { return nil }
    return address
  }

  /// The canonical spelling of the host.
  var canonical: String { address?.description ?? text.lowercased() }

  /// `localhost` and all names below it (RFC 6761 §6.3).
  var isLocalhost: Bool {
    let name = text.lowercased()
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// The addresses of `localhost`.
  static let loopback = [IPAddress(v4: 0x7F00_0001), IPAddress(v6: 1)]

  /// The reason why the host is neither an address nor an unambiguous name; `nil` if it is one.
  var refusal: String? {
    let bytes = text.utf8
    if bytes.isEmpty { return "its host is empty" }
    if let other = text.unicodeScalars.first(where: { !$0.isASCII }) {
      return "its host holds \(Self.name(of: other)); names in other scripts are written as xn--…"
    }
    if let other = text.unicodeScalars.first(where: { $0.value <= 32 || $0.value == 127 }) {
      return "its host holds \(Self.name(of: other)), a space or control character"
    }
    if bytes.first == UInt8(ascii: "[") || bytes.contains(UInt8(ascii: ":")) {
      if bytes.contains(UInt8(ascii: "%")) { return "its host is an IPv6 address with a zone" }
      return address == nil ? "its host is not a well-formed IPv6 address" : nil
    }
    if bytes.contains(UInt8(ascii: "%")) { return "its host is percent-encoded" }
    if let other = text.unicodeScalars.first(where: { !Self.isInName($0) }) {
      return "its host holds \(Self.name(of: other))"
    }
    if bytes.last == UInt8(ascii: ".") { return "its host ends with a dot" }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.contains(where: \.isEmpty) { return "its host has an empty label" }
    if bytes.count > 253 { return "its host has more than 253 characters" }
    if labels.contains(where: { $0.count > 63 }) { return "its host has a label of more than 63 characters" }
    // Parsers that accept numbers as addresses decide by the last label.
    if address == nil, let last = labels.last, Self.isNumber(last) {
      return "its host is a number in a spelling that not all read alike; write IPv4 addresses as a.b.c.d"
    }
    return nil
  }

  /// Letters, digits and hyphens; also underscores, which are not allowed in host names but do occur.
  private static func isInName(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
    default: false
    }
  }

  /// All digits, or hexadecimal after `0x`; some parsers read `0x` alone as 0.
  private static func isNumber(_ label: Substring.UTF8View) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    if label.allSatisfy(digits.contains) { return true }
    guard label.first == UInt8(ascii: "0"), label.dropFirst().first.map({ $0 | 32 }) == UInt8(ascii: "x")
    else {
      return false
    }
    return label.dropFirst(2).allSatisfy {
      digits.contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 32)
    }
  }

  /// The host for messages, without control or foreign characters.
  private static func name(of scalar: Unicode.Scalar) -> String {
    if (33...126).contains(scalar.value) { return "the character \(scalar)" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "the character U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
