import Synchronization

/// Work that callers with equal keys share: the first one starts it, and the last one that leaves cancels it.
///
/// A caller that is cancelled leaves at once, and hurts nobody else: work belongs to all of its callers alike.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    /// Tells work that ended from later work with the same key.
    let number: Int
    var task: Task<Void, Never>?
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
  }

  private struct State: Sendable {
    var entries: [Key: Entry] = [:]
    var last = 0
    var started = 0
    var joined = 0
  }

  private let state = Mutex(State())

  /// The number of works in progress.
  var count: Int { state.withLock(\.entries.count) }
  /// The numbers of works that were started, and of callers that joined one.
  var statistics: (started: Int, joined: Int) { state.withLock { ($0.started, $0.joined) } }

  /// Returns the value of the work with a key; starts it if there is none.
  ///
  /// - Throws: The error of the work; `CancellationError` when the task is cancelled.
  func value(for key: Key, _ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        join(key, id, continuation, work)
      }
    } onCancel: {
      leave(key, id)
    }
  }

  private func join(
    _ key: Key, _ id: Int, _ continuation: CheckedContinuation<Value, any Error>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    // The handler has run already if this is true, and runs later, and finds the waiter, if not.
    guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
    let number: Int? = state.withLock { state in
      if state.entries[key] != nil {
        state.entries[key]?.waiters[id] = continuation
        state.joined += 1
        return nil
      }
      state.started += 1
      state.entries[key] = Entry(number: id, waiters: [id: continuation])
      return id
    }
    guard let number else {
      if Task.isCancelled { leave(key, id) }
      return
    }
    let task = Task { [self] in
      do {
        end(key, number, .success(try await work()))
      } catch {
        end(key, number, .failure(error))
      }
    }
    let isNeeded = state.withLock { state in
      guard state.entries[key]?.number == number else { return false }
      state.entries[key]?.task = task
      return true
    }
    // It has ended, or its only caller has left.
    if !isNeeded { task.cancel() }
    if Task.isCancelled { leave(key, id) }
  }

  private func leave(_ key: Key, _ id: Int) {
    let (waiter, task) = state.withLock {
      state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
      guard let waiter = state.entries[key]?.waiters.removeValue(forKey: id) else { return (nil, nil) }
      guard state.entries[key]?.waiters.isEmpty == true else { return (waiter, nil) }
      return (waiter, state.entries.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    waiter?.resume(throwing: CancellationError())
  }

  private func end(_ key: Key, _ number: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state in
      guard state.entries[key]?.number == number else { return [CheckedContinuation<Value, any Error>]() }
      return state.entries.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}
