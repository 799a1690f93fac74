import Synchronization

/// Counts calls from any thread.
final class ManualCounter: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  func increment() { value.add(1, ordering: .relaxed) }
}
