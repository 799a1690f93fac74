import CalotypeSupport

/// The jobs that could run, one of which the seed picks.
final class SeededQueue: Sendable {
  private struct Item {
    let job: UnownedJob
    let executor: UnownedTaskExecutor
  }

  private struct State {
    var random: SeededGenerator
    var items: [Item] = []
    var taken = 0
    var isClosed = false
  }

  private enum Next {
    case item(Item)
    case end
  }

  private let state: Monitor<State>

  init(seed: UInt64) {
    state = Monitor(State(random: SeededGenerator(seed: seed)))
  }

  var turns: Int { state.withLock { $0.taken } }

  func push(_ job: UnownedJob, _ executor: UnownedTaskExecutor) {
    state.withLock(waking: .one) { $0.items.append(Item(job: job, executor: executor)) }
  }

  func close() {
    state.withLock(waking: .one) { $0.isClosed = true }
  }

  static func startThread(serving queue: SeededQueue) {
    Threads.start(name: "seeded") {
      while case .item(let item) = queue.take() {
        item.job.runSynchronously(on: item.executor)
      }
    }
  }

  /// One of those that could run; waits for one. The end when closed and empty.
  private func take() -> Next {
    state.wait { state -> Next? in
      if state.items.isEmpty { return state.isClosed ? .end : nil }
      state.taken += 1
      let index = Int(state.random.next() % UInt64(state.items.count))
      return .item(state.items.remove(at: index))
    }
  }
}
