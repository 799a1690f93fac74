import Glibc

/// Keeps memory for later use.
package protocol IdleReclaiming: AnyObject, Sendable {
  /// Gives back what was not used since some of the last calls, which come ``IdleReclaimer/interval`` apart.
  ///
  /// - Returns: Whether anything is left that may have to be given back later. After `false` there are no more calls until
  ///   ``IdleReclaimer/watch(_:)``.
  func reclaimIdle() -> Bool
}

/// Reminds those who keep memory to give it back when nobody uses it.
///
/// One thread for all of them. It runs twice a second as long as somebody keeps something, and sleeps when nobody does. Its
/// priority is that of other threads: while it unmaps pages, those that touch new ones wait for it.
package final class IdleReclaimer: Sendable {
  /// The one that everybody shares.
  package static let shared = IdleReclaimer()
  /// Time between two rounds.
  package static let interval = Duration.milliseconds(500)

  private let rounds: Rounds

  /// - Parameter pause: Sleeps from one round to the next, on the thread.
  package init(pause: @escaping @Sendable () -> Void = { usleep(500_000) }) {
    rounds = Rounds(pause: pause)
  }

  deinit {
    rounds.close()
  }

  /// Calls ``IdleReclaiming/reclaimIdle()`` from now on until it returns false. Not to be called again before that.
  ///
  /// Does not keep `client`. Costs a lock, once the thread runs.
  package func watch(_ client: any IdleReclaiming) {
    rounds.add(client)
  }
}

/// The thread, and whom it reminds.
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
      // Those who come meanwhile are added to the others: whoever is asked now cannot be among them.
      var clients = state.withLock { state in
        defer { state.clients = [] }
        return state.clients
      }
      clients.removeAll { !($0.value?.reclaimIdle() ?? false) }
      state.withLock { $0.clients += clients }
    }
  }

  /// Sleeps until somebody keeps something. False when the thread is to end.
  private func isNeeded() -> Bool {
    state.wait { state in
      if state.isClosed { return false }
      return state.clients.isEmpty ? nil : true
    }
  }
}
