/// The decision whether commands are sent: after three timeouts in a row, or a lost connection, none is for a second. A pure
/// value; the caller passes the time.
package struct RedisBreaker: Hashable, Sendable {
  /// Timeouts in a row that open the breaker.
  package static let threshold = 3
  /// The time between two attempts to connect.
  package let coolDown: Duration
  private var timeouts = 0
  /// When the next attempt may be made; `nil` while commands are sent.
  package private(set) var openUntil: Duration?

  /// Creates a closed breaker.
  package init(coolDown: Duration = .seconds(1)) {
    self.coolDown = coolDown
  }

  /// Whether commands are sent.
  package var isClosed: Bool { openUntil == nil }

  /// Whether an attempt to connect may be made.
  package func mayTry(at now: Duration) -> Bool { openUntil.map { now >= $0 } ?? true }

  /// A reply has come.
  package mutating func succeeded() {
    timeouts = 0
    openUntil = nil
  }

  /// A reply has not come in time.
  ///
  /// - Returns: Whether the connection is to be given up.
  package mutating func timedOut(at now: Duration) -> Bool {
    timeouts += 1
    guard timeouts >= Self.threshold else { return false }
    failed(at: now)
    return true
  }

  /// The connection is lost, or there is none.
  package mutating func failed(at now: Duration) {
    timeouts = 0
    openUntil = now + coolDown
  }
}
