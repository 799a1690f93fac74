import Calotype

/// The cost of loading at present.
public enum NetworkCondition: String, Hashable, Sendable, CaseIterable {
  /// There is no route to the network.
  case offline
  /// Transferred bytes are charged, or limited.
  case metered
  /// Transferred bytes are free.
  case unmetered
}

/// A provider of the network condition: ``SystemNetworkCondition``, or ``ManualNetworkCondition`` for a
/// program with its own knowledge.
public protocol NetworkConditionProviding: Sendable {
  /// The current condition. Must not block.
  var current: NetworkCondition { get }

  /// Returns a stream of the current condition, and then of every change; slow consumers get only the
  /// newest. Ends when the condition can no longer be observed. Must not block.
  func conditions() -> AsyncStream<NetworkCondition>
}
