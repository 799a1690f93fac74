import Synchronization

/// Tells whether a request has joined the work of another one.
final class JoinedWork: Sendable {
  private let hasBegun = Mutex(false)

  /// Whether the work was begun by another request.
  var isJoined: Bool { hasBegun.withLock { !$0 } }

  /// Records that the request begins the work itself.
  func begin() { hasBegun.withLock { $0 = true } }
}
