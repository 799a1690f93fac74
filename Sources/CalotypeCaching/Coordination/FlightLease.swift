/// The right to make one value, which the lease renews itself until it is ended.
///
/// It makes no promise: a node that was suspended for longer than its lease may find another one at the same work. A lease
/// that is released without an ending is given up, so that another node leads at once.
public protocol FlightLease: Sendable {
  /// Ends the lease, and tells the outcome to the nodes that wait. Later calls do nothing.
  ///
  /// Returns within the timeout of the implementation, also when nobody can be told. Hand the value to the own callers
  /// first.
  func end(_ outcome: FlightOutcome) async
}
