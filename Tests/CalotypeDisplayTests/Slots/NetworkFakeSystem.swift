@testable import CalotypeDisplay
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc

@testable import Calotype

/// Files like those of the kernel, and a socket that says when they have changed.
final class FakeSystem: Sendable {
  // As Linux 6.1 prints them.
  static let header4 =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT      \n"
  static func route4(
    _ name: String, metric: Int, flags: String = "0003", to: String = "00000000"
  )
    -> String
  {
    let mask = to == "00000000" ? to : "00FFFFFF"
    return "\(name)\t\(to)\t010200C0\t\(flags)\t0\t0\t\(metric)\t\(mask)\t0\t0\t0      \n"
  }
  static func route6(
    _ name: String, metric: String, flags: String = "00450003", prefix: String = "00"
  )
    -> String
  {
    let zero = String(repeating: "0", count: 32)
    return
      "\(zero) \(prefix) \(zero) 00 fe80000000000000f21898fffeaabbcc \(metric) 00000001 00000000 \(flags)     \(name)\n"
  }

  let folder: TemporaryFolder
  private let opened = Lock<[Int32]>([])

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("devices"), withIntermediateDirectories: true)
  }

  deinit { for end in opened.withLock({ $0 }) { close(end) } }

  func device(_ name: String, state: String = "up", type: String? = nil) throws {
    let place = folder.path("devices/\(name)")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try "\(state)\n".write(toFile: place + "/operstate", atomically: false, encoding: .utf8)
    let event = (type.map { "DEVTYPE=\($0)\n" } ?? "") + "INTERFACE=\(name)\nIFINDEX=2\n"
    try event.write(toFile: place + "/uevent", atomically: false, encoding: .utf8)
  }

  func routes(_ text4: String, _ text6: String = "") throws {
    try (Self.header4 + text4).write(toFile: folder.path("route"), atomically: true, encoding: .utf8)
    try text6.write(toFile: folder.path("ipv6_route"), atomically: true, encoding: .utf8)
  }

  func probe(_ isMetered: @escaping @Sendable (NetworkInterface) -> Bool = { $0.isMobile })
    -> NetworkProbe
  {
    var probe = NetworkProbe(isMetered: isMetered)
    probe.routes4 = folder.path("route")
    probe.routes6 = folder.path("ipv6_route")
    probe.devices = folder.path("devices")
    return probe
  }

  /// The reading end of a pair of sockets; the other one stays here.
  func openChanges() -> Int32 {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
    else {
      return -1
    }
    opened.withLock { $0.append(ends[1]) }
    return ends[0]
  }

  var openCount: Int { opened.withLock { $0.count } }

  func notify() {
    for end in opened.withLock({ $0 }) {
      _ = send(end, "changed", 7, Int32(MSG_NOSIGNAL))
    }
  }

  /// Whether all readers have closed their sockets.
  var isLeft: Bool {
    opened.withLock { $0 }.allSatisfy {
      send($0, "?", 1, Int32(MSG_NOSIGNAL)) < 0 && errno != EAGAIN
    }
  }
}
