/// The part of a node in the work for one key; the answer of ``FlightCoordinating/begin(_:waits:timeout:)``.
public enum Flight: Sendable {
  /// This node makes the value, and ends the lease with the outcome.
  case lead(any FlightLease)
  /// Another node has ended its work: the outcome.
  case outcome(FlightOutcome)
  /// Another node leads, and the caller does not wait.
  case busy
  /// There is no coordination: this node makes the value for itself, without a lease.
  case alone
}
