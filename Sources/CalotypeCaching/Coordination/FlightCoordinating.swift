/// Coordination of nodes, so that one of them makes a value that several need at the same time.
///
/// A node calls ``begin(_:waits:timeout:)`` between a miss of all its caches and the work that would fill it: loading an
/// original, making an expensive result. One node leads, the others wait for its outcome. Coordination saves work; it is not
/// needed for correctness. An implementation that cannot reach the others answers ``Flight/alone`` within its own timeout,
/// and never fails.
///
/// ```swift
/// switch await coordinator.begin(key, waits: true, timeout: .seconds(15)) {
/// case .lead(let lease):
///   let record = try await load()
///   await lease.end(.stored)
/// case .outcome(.stored): …  // read the shared cache again
/// case .outcome(.value(let record)): …
/// case .alone: …             // load without a lease
/// default: …
/// }
/// ```
public protocol FlightCoordinating: Sendable {
  /// Joins the work for a key, or starts it.
  ///
  /// Call it once for all callers in this process: it does not join calls of one process, but makes them wait for
  /// each other like those of different nodes.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - waits: Whether to wait while another node leads; otherwise the answer is ``Flight/busy`` then, as a refresh of a
  ///     stale record wants it.
  ///   - timeout: The time after which a wait ends with ``Flight/alone``: the rest of the deadline of the request.
  ///     `nil` waits for as long as leases are renewed.
  /// - Returns: The part of this node. ``Flight/alone`` when the task is cancelled.
  func begin(_ key: CacheKey, waits: Bool, timeout: Duration?) async -> Flight
}
