import CalotypeSupport

/// What a server has seen, and who waits for it to see something.
final class ServerJournal: Sendable {
  struct Entries: Sendable {
    var requests: [ScriptedRequest] = []
    var connections = 0
    var openConnections = 0
    /// Clients that left during a reply, by path.
    var disconnects: [String: Int] = [:]
    /// Replies that were carried out to their end, by path.
    var finished: [String: Int] = [:]
    /// Bytes handed to the system, by path.
    var sent: [String: Int] = [:]
    /// Writes that had to wait for the client, by path.
    var stalls: [String: Int] = [:]
  }

  private struct Waiter {
    let condition: @Sendable (Entries) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var entries = Entries()
    var nextID = 0
    var waiters: [Int: Waiter] = [:]
  }

  private let state = Lock(State())

  var entries: Entries { state.withLock { $0.entries } }

  func note(_ change: @Sendable (inout Entries) -> Void) {
    let ready = state.withLock { state -> [CheckedContinuation<Void, any Error>] in
      change(&state.entries)
      let entries = state.entries
      let ready = state.waiters.filter { $0.value.condition(entries) }
      for id in ready.keys { state.waiters[id] = nil }
      return ready.values.map(\.continuation)
    }
    for continuation in ready { continuation.resume() }
  }

  /// Suspends until `condition` holds.
  func wait(until condition: @escaping @Sendable (Entries) -> Bool) async throws {
    let id = state.withLock { state -> Int in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (holds, isCancelled) = state.withLock { state -> (Bool, Bool) in
          if condition(state.entries) { return (true, false) }
          // Asked inside the lock: a cancellation before this point finds no waiter to remove.
          if Task.isCancelled { return (false, true) }
          state.waiters[id] = Waiter(condition: condition, continuation: continuation)
          return (false, false)
        }
        if holds {
          continuation.resume()
        } else if isCancelled {
          continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation
        .resume(throwing: CancellationError())
    }
  }
}
