import CalotypeCaching

/// The part of this node in the work for one value.
enum NodeFlight: Sendable {
  /// The value is made here; the lease, if there is coordination, is ended afterwards.
  case lead(NodeLease?)
  /// The value may be in the shared cache by now.
  case stored
  /// The record of the value.
  case record(CacheRecord)
  /// Another node failed, with this error.
  case failed(any Error & Sendable)
  /// Another node is at work, and this one does not wait.
  case busy
}
