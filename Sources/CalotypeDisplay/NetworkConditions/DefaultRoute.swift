import Calotype

/// A default route, as listed in `/proc/net/route` and `/proc/net/ipv6_route`. Pure.
///
/// Format: `fib_route_seq_show` in Linux `net/ipv4/fib_trie.c`, `rt6_info_route` in `net/ipv6/ip6_fib.c`; flags in
/// `linux/route.h`.
struct DefaultRoute: Hashable, Sendable {
  var interface: String
  /// The metric: lower values are preferred.
  var metric: UInt32

  private static let isUp: UInt32 = 0x1
  private static let isRejected: UInt32 = 0x200

  /// Returns the default routes of IPv4, the preferred first: the lines with destination and mask 0.
  static func version4(_ table: [Substring]) -> [DefaultRoute] {
    routes(table) { fields in
      // Interface, destination, gateway, flags, references, use, metric, mask.
      guard fields.count >= 8, isZero(fields[1]), isZero(fields[7]), isUsed(fields[3]),
        let metric = UInt32(fields[6])
      else { return nil }
      return DefaultRoute(interface: String(fields[0]), metric: metric)
    }
  }

  /// Returns the default routes of IPv6, the preferred first: the lines with destination and prefix 0.
  static func version6(_ table: [Substring]) -> [DefaultRoute] {
    routes(table) { fields in
      // Destination, prefix, source, prefix, next hop, metric, references, use, flags, interface; numbers in
      // hexadecimal.
      guard fields.count >= 10, isZero(fields[0]), isZero(fields[1]), isUsed(fields[8]),
        let metric = UInt32(fields[5], radix: 16)
      else { return nil }
      return DefaultRoute(interface: String(fields[9]), metric: metric)
    }
  }

  private static func routes(
    _ table: [Substring], _ read: ([Substring]) -> DefaultRoute?
  ) -> [DefaultRoute] {
    table.compactMap { line in
      read(line.split { $0 == " " || $0 == "\t" })
    }.filter { $0.interface != "lo" }.sorted { $0.metric < $1.metric }
  }

  private static func isZero(_ field: Substring) -> Bool { field.allSatisfy { $0 == "0" } }

  private static func isUsed(_ flags: Substring) -> Bool {
    guard let flags = UInt32(flags, radix: 16) else { return false }
    return flags & isUp != 0 && flags & isRejected == 0
  }
}
