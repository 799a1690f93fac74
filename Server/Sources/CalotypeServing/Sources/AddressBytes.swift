import Glibc

/// The bytes of an IP address: 4 or 16.
public struct AddressBytes: Hashable, Sendable {
  /// The bytes in network order.
  public let bytes: [UInt8]

  /// Reads an address in text; `nil` if it is none.
  public init?(_ text: String) {
    guard text.utf8.count <= 64, !text.utf8.contains(0) else { return nil }
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: &sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// The IPv4 address that an IPv6 address stands for; `nil` if there is none.
  public var embeddedIPv4: [UInt8]? {
    guard bytes.count == 16 else { return nil }
    let last = Array(bytes[12...])
    func starts(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
    let zeros = [UInt8](repeating: 0, count: 12)
    if starts([0x20, 0x02]) { return Array(bytes[2..<6]) }
    if starts([0x20, 0x01, 0, 0]) { return last.map { ~$0 } }
    if starts([0, 0x64, 0xFF, 0x9B] + zeros[..<8]) { return last }
    // A prefix of 48 bits (RFC 6052 §2.2): byte 8 is not part of the address.
    if starts([0, 0x64, 0xFF, 0x9B, 0, 1]) { return [bytes[6], bytes[7], bytes[9], bytes[10]] }
    if starts(zeros[..<10] + [0xFF, 0xFF]) { return last }
    // `::` and `::1` are addresses of their own.
    if starts(zeros), last[0] != 0 || last[1] != 0 || last[2] != 0 { return last }
    // ::0:5efe:a.b.c.d and ::200:5efe:a.b.c.d (RFC 5214 §6.1).
    if bytes[8] & 0xFD == 0, bytes[9] == 0, bytes[10] == 0x5E, bytes[11] == 0xFE { return last }
    return nil
  }

  /// The address in text.
  public static func text(ofIPv4 bytes: [UInt8]) -> String { bytes.map { String($0) }.joined(separator: ".") }
}
