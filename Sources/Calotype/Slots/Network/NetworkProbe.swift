import CalotypeSupport

/// Looks at what the kernel tells about the way out of this machine.
struct NetworkProbe: Sendable {
  var routes4 = "/proc/net/route"
  var routes6 = "/proc/net/ipv6_route"
  var devices = "/sys/class/net"
  let isMetered: @Sendable (NetworkInterface) -> Bool

  var condition: NetworkCondition {
    let interfaces = interfaces
    if interfaces.isEmpty { return .offline }
    return interfaces.contains(where: isMetered) ? .metered : .unmetered
  }

  /// Those of the preferred routes: of IPv4 and of IPv6.
  var interfaces: [NetworkInterface] {
    let tables = [
      DefaultRoute.version4(SmallFile.text(routes4) ?? ""),
      DefaultRoute.version6(SmallFile.text(routes6) ?? ""),
    ]
    var result: [NetworkInterface] = []
    for routes in tables {
      guard let route = routes.first(where: { isUsable($0.interface) }) else { continue }
      let interface = interface(route.interface)
      if !result.contains(interface) { result.append(interface) }
    }
    return result
  }

  /// Whether an interface could carry anything. Those that do not know count (RFC 2863, `ifOperStatus`).
  private func isUsable(_ name: String) -> Bool {
    let state = SmallFile.text("\(devices)/\(name)/operstate")?.split(separator: "\n").first
    return !["down", "lowerlayerdown", "notpresent"].contains(state ?? "unknown")
  }

  private func interface(_ name: String) -> NetworkInterface {
    let lines = SmallFile.text("\(devices)/\(name)/uevent")?.split(separator: "\n") ?? []
    let type = lines.first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
    return NetworkInterface(name: name, deviceType: type.map { String($0) })
  }
}
