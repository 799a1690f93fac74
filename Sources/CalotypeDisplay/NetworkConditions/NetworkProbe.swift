import Calotype
import CalotypeSupport
import Glibc

/// Reads the default routes of this machine from the kernel.
struct NetworkProbe: Sendable {
  var routes4 = "/proc/net/route"
  var routes6 = "/proc/net/ipv6_route"
  var devices = "/sys/class/net"
  /// The maximum number of bytes in a table of routes: 100,000 routes or more.
  var limit = 16 << 20
  let isMetered: @Sendable (NetworkInterface) -> Bool
  /// The last condition that could be read.
  private let last = Lock(NetworkCondition.unmetered)

  init(isMetered: @escaping @Sendable (NetworkInterface) -> Bool) {
    self.isMetered = isMetered
  }

  /// The current condition. A failed read is not a sign of being offline: the last condition remains.
  var condition: NetworkCondition {
    guard let interfaces = try? interfaces else { return last.withLock { $0 } }
    let condition: NetworkCondition =
      interfaces.isEmpty ? .offline : interfaces.contains(where: isMetered) ? .metered : .unmetered
    last.withLock { $0 = condition }
    return condition
  }

  /// The interfaces of the preferred routes of IPv4 and IPv6.
  ///
  /// - Throws: when they cannot be read.
  var interfaces: [NetworkInterface] {
    get throws(KernelFile.Failure) {
      let lines4 = try table(routes4)
      let lines6 = try table(routes6)
      // A kernel may lack one of them. Without both, the routes are unknown.
      if lines4 == nil, lines6 == nil { throw KernelFile.Failure(code: ENOENT) }
      var result: [NetworkInterface] = []
      for routes in [DefaultRoute.version4(lines4 ?? []), DefaultRoute.version6(lines6 ?? [])] {
        guard let interface = try firstUsable(of: routes), !result.contains(interface) else { continue }
        result.append(interface)
      }
      return result
    }
  }

  private func firstUsable(of routes: [DefaultRoute]) throws(KernelFile.Failure) -> NetworkInterface? {
    for route in routes {
      if try isUsable(route.interface) { return try interface(route.interface) }
    }
    return nil
  }

  /// Returns whether an interface could carry traffic. Interfaces in an unknown state count (RFC 2863,
  /// `ifOperStatus`).
  private func isUsable(_ name: String) throws(KernelFile.Failure) -> Bool {
    let state = try device(name, "operstate").first
    return !["down", "lowerlayerdown", "notpresent"].contains(state ?? "unknown")
  }

  private func interface(_ name: String) throws(KernelFile.Failure) -> NetworkInterface {
    let type = try device(name, "uevent").first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
    return NetworkInterface(name: name, deviceType: type.map { String($0) })
  }

  // MARK: Files

  /// Returns the lines of a table of routes; `nil` if there is none.
  private func table(_ path: String) throws(KernelFile.Failure) -> [Substring]? {
    do {
      return try KernelFile.lines(path, limit: limit)
    } catch {
      guard error.isAbsence else { throw error }
      return nil
    }
  }

  /// Returns the attributes of a device; none if sysfs is unavailable, or the device was just removed.
  private func device(_ name: String, _ file: String) throws(KernelFile.Failure) -> [Substring] {
    do {
      return try KernelFile.lines("\(devices)/\(name)/\(file)", limit: 1 << 16)
    } catch {
      guard !error.isShortage else { throw error }
      return []
    }
  }
}
