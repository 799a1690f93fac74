import Calotype
import CLinux
import CalotypeSupport

/// The network condition as reported by the Linux kernel.
///
/// ```swift
/// slot.load(variants, network: SystemNetworkCondition.shared)
/// ```
///
/// Without a default route through an interface that is up, the machine is ``NetworkCondition/offline``.
/// This suits machines on the internet; a program that reaches it through a proxy in its own network, or
/// serves only that network, uses a ``ManualNetworkCondition``. Otherwise the condition is
/// ``NetworkCondition/metered`` if the program declares the interface of the preferred IPv4 or IPv6 route
/// as metered. The kernel has no notion of metering; by default, mobile modems (`wwan`) are metered. The
/// settings of NetworkManager are not consulted. While the kernel cannot be queried, because there is no
/// `/proc` or no file descriptor left, the last condition remains, initially
/// ``NetworkCondition/unmetered``.
///
/// The provider reads `/proc/net/route`, `/proc/net/ipv6_route` and `/sys/class/net`, which describe the
/// network namespace of this process. The kernel reports changes (rtnetlink(7)): copies of a value have one
/// socket and one thread for all their streams, released with the last stream; so a program creates one
/// value, or uses ``shared``. Where such sockets are unavailable, streams end after the present condition.
public struct SystemNetworkCondition: NetworkConditionProviding {
  /// The shared provider, which treats only mobile modems as metered.
  public static let shared = SystemNetworkCondition()

  private let probe: NetworkProbe
  private let watch: NetworkMonitor

  /// Creates a provider for this machine.
  ///
  /// - Parameter isMetered: Returns whether an interface is metered. Called at every evaluation, on any
  ///   thread.
  public init(isMetered: @escaping @Sendable (NetworkInterface) -> Bool = { $0.isMobile }) {
    self.init(NetworkProbe(isMetered: isMetered), openChanges: { calotype_route_changes() })
  }

  /// - Parameters:
  ///   - probe: Reads the condition.
  ///   - openChanges: Opens a descriptor that becomes readable whenever the condition may have changed; -1
  ///     where there is none.
  init(_ probe: NetworkProbe, openChanges: @escaping @Sendable () -> Int32) {
    self.probe = probe
    watch = NetworkMonitor(probe, openChanges: openChanges)
  }

  /// The current condition. Reads kernel files, which takes some ten microseconds, unless there are
  /// thousands of routes.
  public var current: NetworkCondition { probe.condition }

  /// The interfaces of the present IPv4 and IPv6 default routes; empty when there is no route, or it is
  /// unknown.
  public var interfaces: [NetworkInterface] { (try? probe.interfaces) ?? [] }

  /// Returns a stream of the current condition, and then of every change.
  public func conditions() -> AsyncStream<NetworkCondition> { watch.conditions() }

  /// The number of listeners.
  var listenerCount: Int { watch.listenerCount }
}
