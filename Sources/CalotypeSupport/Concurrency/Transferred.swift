/// A value that one thread hands to another, which is told by a continuation that it is there.
///
/// The value does not travel with the continuation, because ThreadSanitizer does not see that it was written before.
package final class Transferred<Value: Sendable>: Sendable {
  private let value = Lock<Value?>(nil)

  /// Nothing yet.
  package init() {}

  /// Puts the value there.
  package func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
  }

  /// The value, if it is there; once.
  package func take() -> Value? {
    value.withLock { $0.take() }
  }
}
