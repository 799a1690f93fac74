/// The kind of an IP address as far as settings distinguish them.
///
/// An IPv6 address that stands for an IPv4 one is of the kind of that one: IPv4-mapped, IPv4-compatible, 6to4, NAT64 (also for
/// local use, RFC 8215), Teredo and ISATAP addresses.
public enum AddressKind: String, Hashable, Sendable, CaseIterable {
  /// This machine, unspecified addresses included.
  case loopback
  /// The network of an interface; clouds keep their metadata there.
  case linkLocal
  /// Private networks, carrier-grade NAT and unique local addresses.
  case `private`
  /// All others. Many of them are special, too, and refused by the loader.
  case other

  /// Returns the kind of an address in text; `nil` if it is none.
  public init?(_ text: String) {
    guard let address = AddressBytes(text) else { return nil }
    if let embedded = address.embeddedIPv4 {
      self = Self.kind(ofIPv4: embedded)
      return
    }
    let bytes = address.bytes
    guard bytes.count == 16 else {
      self = Self.kind(ofIPv4: bytes)
      return
    }
    let isUnspecified = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
    if isUnspecified {
      self = .loopback
    } else if bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 || bytes[0] == 0xFF && bytes[1] & 0x0F == 2 {
      self = .linkLocal
    } else if bytes[0] & 0xFE == 0xFC {
      self = .private
    } else {
      self = .other
    }
  }

  private static func kind(ofIPv4 bytes: [UInt8]) -> AddressKind {
    switch (bytes[0], bytes[1]) {
    case (0, _), (127, _): .loopback
    case (169, 254): .linkLocal
    case (224, 0) where bytes[2] == 0: .linkLocal
    case (10, _), (192, 168), (172, 16...31), (100, 64...127): .private
    default: .other
    }
  }
}
