import Calotype
import CLinux
import CalotypeSupport

/// The condition of the network by what Linux says.
///
/// ```swift
/// slot.load(variants, network: SystemNetworkCondition.shared)
/// ```
///
/// Without a default route through an interface that is up, the machine is ``NetworkCondition/offline``: that is for
/// machines on the internet; a program that reaches it through a proxy in its own network, or only serves that, has a
/// ``ManualNetworkCondition``. Otherwise it is ``NetworkCondition/metered`` if the program says so of the interface of
/// the preferred route, of IPv4 or of IPv6. The kernel does not know who pays; by default, mobile modems (`wwan`) are
/// metered. What users tell NetworkManager is not asked for. While the kernel cannot be asked, because there is no
/// `/proc` or no descriptor left, it is what it was before, and ``NetworkCondition/unmetered`` in the beginning.
///
/// It reads `/proc/net/route`, `/proc/net/ipv6_route` and `/sys/class/net`: what they say of the network namespace of
/// this process. Changes are told by the kernel (rtnetlink(7)): copies of a value have one socket and one thread for
/// all their streams, which end with the last of them; so a program makes one value, or takes ``shared``. Where there
/// are no such sockets, streams end after the present condition.
public struct SystemNetworkCondition: NetworkConditionProviding {
  /// The one for all who take mobile modems for metered, and nothing else.
  public static let shared = SystemNetworkCondition()

  private let probe: NetworkProbe
  private let watch: NetworkMonitor

  /// A provider for this machine.
  ///
  /// - Parameter isMetered: Whether bytes through an interface are paid for. Called whenever it is looked at, on any thread.
  public init(isMetered: @escaping @Sendable (NetworkInterface) -> Bool = { $0.isMobile }) {
    self.init(NetworkProbe(isMetered: isMetered), openChanges: { calotype_route_changes() })
  }

  /// - Parameters:
  ///   - probe: Looks.
  ///   - openChanges: Makes a descriptor that can be read whenever something may have changed; -1 where there is none.
  init(_ probe: NetworkProbe, openChanges: @escaping @Sendable () -> Int32) {
    self.probe = probe
    watch = NetworkMonitor(probe, openChanges: openChanges)
  }

  /// The condition now. Reads files of the kernel: some ten microseconds, unless there are thousands of routes.
  public var current: NetworkCondition { probe.condition }

  /// The interfaces of the default routes of IPv4 and IPv6 at present; empty when there is no route, or it is not known.
  public var interfaces: [NetworkInterface] { (try? probe.interfaces) ?? [] }

  /// The condition now, and then whenever it changes.
  public func conditions() -> AsyncStream<NetworkCondition> { watch.conditions() }

  /// How many listen.
  var listenerCount: Int { watch.listenerCount }
}
