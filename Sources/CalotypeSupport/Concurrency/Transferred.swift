/// A value that one thread hands to another, which a continuation wakes.
///
/// The value is not passed through the continuation, because ThreadSanitizer does not see that synchronization.
package final class Transferred<Value: Sendable>: Sendable {
  private let value = Lock<Value?>(nil)

  /// Creates an empty box.
  package init() {}

  /// Sets the value.
  package func set(_ newValue: Value) {
    value.withLock { $0 = newValue }
  }

  /// Takes the value, if it is set.
  package func take() -> Value? {
    value.withLock { $0.take() }
  }
}
