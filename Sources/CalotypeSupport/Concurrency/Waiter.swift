import Synchronization

/// One value that one task waits for. The first ``resolve(_:)`` counts, whether it comes before, during or after the wait.
///
/// Only this type and ``Rendezvous`` hold continuations. A wait takes one allocation and no lock.
///
/// ```swift
/// let waiter = Waiter<Bool>()
/// queue.withLock { $0.append(waiter) }
/// let isAdmitted = await waiter.value(onCancel: false)
/// ```
// `@unchecked`: the value is written by the call that has claimed it, and the continuation by the waiting task, each before
// it changes the phase; both are read after that.
package final class Waiter<Value: Sendable>: @unchecked Sendable {
  private enum Phase {
    static var empty: UInt8 { 0 }
    static var waiting: UInt8 { 1 }
    static var resolved: UInt8 { 2 }
  }

  private let isClaimed = Atomic(false)
  private let phase = Atomic(Phase.empty)
  private var value: Value?
  // Resumed once, because only one call claims the value.
  private var continuation: UnsafeContinuation<Void, Never>?

  /// Creates a waiter without a value.
  package init() {}

  /// Whether a value has been set.
  package var isResolved: Bool { phase.load(ordering: .acquiring) == Phase.resolved }

  /// Sets the value, and resumes the task that waits for it. Call it while holding no lock.
  ///
  /// - Returns: Whether this value counts: `false` if there was one before.
  @discardableResult package func resolve(_ value: Value) -> Bool {
    guard !isClaimed.exchange(true, ordering: .relaxed) else { return false }
    self.value = value
    if phase.exchange(Phase.resolved, ordering: .acquiringAndReleasing) == Phase.waiting {
      continuation.take()?.resume()
    }
    return true
  }

  /// Waits for the value, also while the task is cancelled. Call it once.
  package func value() async -> Value {
    if !isResolved {
      await withUnsafeContinuation { continuation in
        self.continuation = continuation
        let (isWaiting, _) = phase.compareExchange(
          expected: Phase.empty, desired: Phase.waiting, ordering: .acquiringAndReleasing)
        if !isWaiting {
          self.continuation = nil
          continuation.resume()
        }
      }
    }
    // Orders the read after the write for ThreadSanitizer too, which does not see that a continuation does.
    guard isResolved, let value = value.take() else {
      // Only a second wait, a mistake of the calling code, finds none.
      preconditionFailure("a waiter is waited for once")
    }
    return value
  }

  /// Waits for the value; resolves it to `cancelled` when the task is cancelled. Call it once.
  package func value(onCancel cancelled: Value) async -> Value {
    await withTaskCancellationHandler {
      await value()
    } onCancel: {
      resolve(cancelled)
    }
  }
}
