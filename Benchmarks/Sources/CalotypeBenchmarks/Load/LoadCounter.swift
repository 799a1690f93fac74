import Synchronization

/// A number that several tasks raise.
final class LoadCounter: Sendable {
  private let number = Atomic(0)

  /// The number now.
  var value: Int { number.load(ordering: .relaxed) }

  /// Raises it by one.
  ///
  /// - Returns: The number before.
  @discardableResult
  func increment() -> Int { number.add(1, ordering: .relaxed).oldValue }
}
