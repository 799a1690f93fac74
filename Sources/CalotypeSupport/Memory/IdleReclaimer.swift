import Glibc

/// Keeps memory for reuse.
package protocol IdleReclaiming: AnyObject, Sendable {
  /// Frees memory that was not used during the last calls, which come ``IdleReclaimer/interval`` apart.
  ///
  /// - Returns: Whether memory is left that may have to be freed later. After `false` there are no more calls until
  ///   ``IdleReclaimer/watch(_:)``.
  func reclaimIdle() -> Bool
}

/// Makes its clients free memory that they keep but do not use.
///
/// One thread serves all clients. It runs twice a second while any client keeps memory, and sleeps otherwise. It has
/// normal priority: while it unmaps pages, threads that touch new ones wait for it.
package final class IdleReclaimer: Sendable {
  /// The shared reclaimer.
  package static let shared = IdleReclaimer()
  /// Time between two rounds.
  package static let interval = Duration.milliseconds(500)

  private let rounds: Rounds

  /// - Parameter pause: Sleeps between two rounds, on the thread.
  package init(pause: @escaping @Sendable () -> Void = { usleep(500_000) }) {
    rounds = Rounds(pause: pause)
  }

  deinit {
    rounds.close()
  }

  /// Calls ``IdleReclaiming/reclaimIdle()`` regularly until it returns `false`. Do not call it again before that.
  ///
  /// Holds `client` weakly. Costs a lock once the thread runs.
  package func watch(_ client: any IdleReclaiming) {
    rounds.add(client)
  }
}

/// The thread and its clients.
private final class Rounds: Sendable {
  private struct Client {
    weak var value: (any IdleReclaiming)?
  }

  private struct State {
    var clients: [Client] = []
    var isStarted = false
    var isClosed = false
  }

  private let state = Monitor(State())
  private let pause: @Sendable () -> Void

  init(pause: @escaping @Sendable () -> Void) {
    self.pause = pause
  }

  func add(_ client: any IdleReclaiming) {
    let starts = state.withLock(waking: .one) { state in
      state.clients.append(Client(value: client))
      defer { state.isStarted = true }
      return !state.isStarted
    }
    if starts { Threads.start(name: "calotype-idle") { self.run() } }
  }

  func close() {
    state.withLock(waking: .all) { $0.isClosed = true }
  }

  private func run() {
    while isNeeded() {
      pause()
      // Clients that are added meanwhile are kept; a client that is asked now cannot be among them.
      var clients = state.withLock { state in
        defer { state.clients = [] }
        return state.clients
      }
      clients.removeAll { !($0.value?.reclaimIdle() ?? false) }
      state.withLock { $0.clients += clients }
    }
  }

  /// Sleeps until there is a client. Returns `false` when the thread must end.
  private func isNeeded() -> Bool {
    state.wait { state in
      if state.isClosed { return false }
      return state.clients.isEmpty ? nil : true
    }
  }
}
