import Glibc

/// A range of IP addresses in CIDR notation, such as `10.0.0.0/8` or `2001:db8::/32`.
public struct NetworkRange: Hashable, Sendable, CustomStringConvertible {
  /// The text of the range.
  public let description: String
  /// The 4 or 16 bytes of an address in the range.
  public let address: [UInt8]
  /// The bits of ``address`` that all addresses of the range have.
  public let prefixLength: Int

  /// Reads an address, or an address and a prefix length behind a slash. Returns `nil` for all other texts.
  public init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let first = parts.first, parts.count <= 2, let address = Self.bytes(String(first)) else {
      return nil
    }
    var length = address.count * 8
    if parts.count == 2 {
      let digits = parts[1].utf8
      guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
        let given = Int(parts[1]), given <= length
      else { return nil }
      length = given
    }
    description = text
    self.address = address
    prefixLength = length
  }

  /// Whether the range contains an address of 4 or 16 bytes.
  public func contains(_ other: [UInt8]) -> Bool {
    guard other.count == address.count else { return false }
    let whole = prefixLength / 8
    guard other.prefix(whole) == address.prefix(whole) else { return false }
    let rest = prefixLength % 8
    guard rest > 0 else { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
    return other[whole] & mask == address[whole] & mask
  }

  /// Whether all addresses of the range are loopback addresses.
  var isLoopback: Bool {
    if address.count == 4 { return address[0] == 127 && prefixLength >= 8 }
    return prefixLength == 128 && address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
  }

  private static func bytes(_ text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      return withUnsafeBytes(of: &four) { Array($0) }
    }
    var sixteen = in6_addr()
    if inet_pton(AF_INET6, text, &sixteen) == 1 {
      return withUnsafeBytes(of: &sixteen) { Array($0) }
    }
    return nil
  }
}
