/// The addresses outside the public internet: those in IANA's registries of special-purpose addresses (RFC 6890 and
/// later), and those outside the global unicast space.
enum SpecialAddresses {
  private struct Entry {
    let range: IPAddress.Block
    let kind: String
    var note = ""
  }

  /// Returns a readable reason why `address` is not global unicast; `nil` if it is.
  ///
  /// The few addresses within 192.0.0.0/24 and 2001::/23 that can be reached from everywhere serve protocols, not
  /// images, and are refused with the rest.
  static func reason(for address: IPAddress) -> String? {
    let special = (address.isIPv4 ? v4 : v6).first { $0.range.contains(address) }
    if let special { return "\(special.kind) address \(address)\(special.note)" }
    guard !address.isIPv4 else { return nil }
    // Ranges treat them as the IPv4 addresses they stand for.
    if address.unmapped.isIPv4 { return "IPv4-mapped address \(address)" }
    guard address.bits >> 125 == 0b001 else { return "address \(address) outside of global unicast" }
    // The interface identifier ::0:5efe:a.b.c.d, with or without the bit for "universal" (RFC 5214 §6.1).
    let interface = UInt32(truncatingIfNeeded: address.bits >> 32)
    return interface & ~0x0200_0000 == 0x5EFE
      ? "ISATAP address \(address), which stands for an IPv4 one" : nil
  }

  private static func entry(_ range: String, _ kind: String, _ note: String = "") -> Entry? {
    IPAddress.Block(range).map { Entry(range: $0, kind: kind, note: note) }
  }

  /// The first range that contains an address gives its name.
  private static let v4: [Entry] = [
    entry("0.0.0.0/8", "this-network", ", which means the machine itself"),
    entry("10.0.0.0/8", "private"),
    entry("100.64.0.0/10", "carrier-grade NAT"),
    entry("127.0.0.0/8", "loopback"),
    entry("168.63.129.16", "cloud platform", ", where Azure configures its machines"),
    entry("169.254.0.0/16", "link-local", ", where clouds keep their metadata"),
    entry("172.16.0.0/12", "private"),
    entry("192.0.0.0/24", "protocol assignment"),
    entry("192.0.2.0/24", "documentation"),
    entry("192.88.99.0/24", "6to4 relay"),
    entry("192.168.0.0/16", "private"),
    entry("198.18.0.0/15", "benchmarking"),
    entry("198.51.100.0/24", "documentation"),
    entry("203.0.113.0/24", "documentation"),
    entry("224.0.0.0/4", "multicast"),
    entry("255.255.255.255", "broadcast"),
    entry("240.0.0.0/4", "reserved"),
  ].compactMap(\.self)

  private static let v6: [Entry] = [
    entry("::", "unspecified", ", which means the machine itself"),
    entry("::1", "loopback"),
    entry("::/96", "IPv4-compatible"),
    entry("64:ff9b::/96", "NAT64", ", which stands for an IPv4 one"),
    entry("64:ff9b:1::/48", "NAT64", ", which stands for an IPv4 one"),
    entry("100::/64", "discard-only"),
    entry("2001::/32", "Teredo", ", which stands for an IPv4 one"),
    entry("2001:2::/48", "benchmarking"),
    entry("2001:10::/28", "ORCHID"),
    entry("2001:20::/28", "ORCHIDv2"),
    entry("2001::/23", "protocol assignment"),
    entry("2001:db8::/32", "documentation"),
    entry("2002::/16", "6to4", ", which stands for an IPv4 one"),
    entry("3fff::/20", "documentation"),
    entry("fc00::/7", "unique local"),
    entry("fe80::/10", "link-local"),
    entry("fec0::/10", "site-local"),
    entry("ff00::/8", "multicast"),
  ].compactMap(\.self)
}
