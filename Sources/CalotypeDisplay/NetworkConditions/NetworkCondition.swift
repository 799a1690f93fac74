import Calotype

/// The cost of loading at present.
public enum NetworkCondition: String, Hashable, Sendable, CaseIterable {
  /// There is no way out.
  case offline
  /// Bytes are paid for, or rare.
  case metered
  /// Bytes cost nothing.
  case unmetered
}

/// Something that knows the condition of the network: ``SystemNetworkCondition``, or ``ManualNetworkCondition`` for a program
/// that knows by itself.
public protocol NetworkConditionProviding: Sendable {
  /// The condition now. Must not wait for anything.
  var current: NetworkCondition { get }

  /// The condition now, and then whenever it changes; who is slow gets the newest only. Ends when it can not be watched any
  /// longer. Must not wait for anything.
  func conditions() -> AsyncStream<NetworkCondition>
}
