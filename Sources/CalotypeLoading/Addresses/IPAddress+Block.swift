extension IPAddress {
  /// The addresses that begin with the same bits (CIDR).
  ///
  /// ```swift
  /// let office = IPAddress.Block("10.20.0.0/16")
  /// let printer = IPAddress.Block("fd12:3456::9")   // one address: the same as fd12:3456::9/128
  /// ```
  ///
  /// `::ffff:a.b.c.d` counts as the IPv4 address that it stands for: only ranges of IPv4 addresses contain it, and
  /// `::ffff:10.0.0.0/104` is another way to write `10.0.0.0/8`.
  public struct Block: Hashable, Sendable {
    /// The first address.
    public let base: IPAddress
    /// The number of common bits: 0 to 32 for IPv4, 0 to 128 for IPv6.
    public let prefixLength: Int

    /// The range of the addresses that share the first `prefixLength` bits of `base`; `nil` if `base` has fewer bits,
    /// or if any of its other bits is set.
    public init?(base: IPAddress, prefixLength: Int) {
      guard (0...base.width).contains(prefixLength) else { return nil }
      let rest = base.width - prefixLength
      guard Self.prefix(base.bits, without: rest) << UInt128(rest) == base.bits else { return nil }
      // The base begins with 96 bits of which the last is set, so the prefix is at least as long.
      let mapped = base.unmapped
      self.base = mapped
      self.prefixLength = prefixLength - (base.width - mapped.width)
    }

    /// Returns whether the range contains `address`.
    public func contains(_ address: IPAddress) -> Bool {
      let address = address.unmapped
      guard address.isIPv4 == base.isIPv4 else { return false }
      let rest = base.width - prefixLength
      return Self.prefix(address.bits, without: rest) == Self.prefix(base.bits, without: rest)
    }

    /// `>>` returns 0 for a shift by the full width.
    private static func prefix(_ bits: UInt128, without rest: Int) -> UInt128 { bits >> UInt128(rest) }
  }
}

extension IPAddress.Block: LosslessStringConvertible {
  /// Parses an address, optionally followed by a slash and a prefix length; without one, the range is that address
  /// alone. The bits after the prefix must be 0.
  public init?(_ text: String) {
    guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else {
      guard let address = IPAddress(text) else { return nil }
      self.init(base: address, prefixLength: address.width)
      return
    }
    let digits = text[text.utf8.index(after: slash)...].utf8
    guard let base = IPAddress(String(text[..<slash])), (1...3).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0"), let length = Int(String(digits) ?? "")
    else { return nil }
    self.init(base: base, prefixLength: length)
  }

  /// The base, a slash and the number of bits.
  public var description: String { "\(base)/\(prefixLength)" }
}
