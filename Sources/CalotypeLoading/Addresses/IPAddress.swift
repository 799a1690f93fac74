import Glibc

/// An IPv4 or IPv6 address.
///
/// ```swift
/// IPAddress("192.0.2.1")     // an address
/// IPAddress("2001:DB8::1")   // described as 2001:db8::1
/// IPAddress("127.1")         // nil: not four decimal numbers
/// ```
public struct IPAddress: Hashable, Sendable {
  /// Whether it is an IPv4 address. `::ffff:192.0.2.1` is an IPv6 address.
  public let isIPv4: Bool
  /// The address as a number: 32 bits of an IPv4 address, 128 of an IPv6 address.
  let bits: UInt128

  init(v4 bits: UInt32) {
    isIPv4 = true
    self.bits = UInt128(bits)
  }

  init(v6 bits: UInt128) {
    isIPv4 = false
    self.bits = bits
  }

  /// The address in a socket address; `nil` for families other than `AF_INET` and `AF_INET6`.
  ///
  /// The memory must hold the complete `sockaddr_in` or `sockaddr_in6` of its family.
  init?(_ address: UnsafePointer<sockaddr>) {
    let raw = UnsafeRawPointer(address)
    switch Int32(raw.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET:
      let bits = raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
      self.init(v4: UInt32(bigEndian: bits))
    case AF_INET6:
      self.init(raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default:
      return nil
    }
  }

  private init(_ address: in6_addr) {
    let bits = withUnsafeBytes(of: address) { $0.loadUnaligned(as: UInt128.self) }
    self.init(v6: UInt128(bigEndian: bits))
  }

  /// The number of bits of the address.
  var width: Int { isIPv4 ? 32 : 128 }

  /// The IPv4 address in `::ffff:a.b.c.d`; any other address unchanged.
  var unmapped: IPAddress {
    !isIPv4 && bits >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: bits)) : self
  }
}

extension IPAddress: LosslessStringConvertible {
  /// Parses four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 §2.2) without brackets and zone;
  /// `nil` for any other text.
  public init?(_ text: String) {
    if let bits = Self.dottedQuad(text.utf8) {
      self.init(v4: bits)
      return
    }
    // The C function would stop at a NUL and accept the text before it.
    guard text.utf8.contains(UInt8(ascii: ":")), text.utf8.allSatisfy(Self.isInIPv6) else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    self.init(address)
  }

  /// The text form of RFC 5952: `192.0.2.1`, `2001:db8::1`, `::ffff:192.0.2.1`.
  public var description: String {
    if isIPv4 {
      return [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: bits >> UInt128($0))) }.joined(
        separator: ".")
    }
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { $0.storeBytes(of: bits.bigEndian, as: UInt128.self) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let base = buffer.baseAddress,
        inet_ntop(AF_INET6, &address, base, socklen_t(INET6_ADDRSTRLEN)) != nil
      else { return "" }
      return String(cString: base)
    }
  }

  /// Exactly four decimal numbers up to 255, none with a leading zero: parsers disagree on `010`.
  private static func dottedQuad(_ text: String.UTF8View) -> UInt32? {
    guard text.count <= 15 else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else {
        return nil
      }
      var number: UInt32 = 0
      for digit in part {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        number = number * 10 + UInt32(digit - UInt8(ascii: "0"))
      }
      guard number <= 255 else { return nil }
      bits = bits << 8 | number
    }
    return bits
  }

  private static func isInIPv6(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
