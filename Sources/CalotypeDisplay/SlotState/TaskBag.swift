import Calotype
import CalotypeSupport

/// Tasks that are cancelled together. A task added after that is cancelled at once.
final class TaskBag: Sendable {
  private let state = Lock((isCancelled: false, tasks: [Task<Void, Never>]()))

  func add(_ task: Task<Void, Never>) {
    let isLate = state.withLock { state in
      if !state.isCancelled { state.tasks.append(task) }
      return state.isCancelled
    }
    if isLate { task.cancel() }
  }

  func cancel() {
    let tasks = state.withLock { state in
      state.isCancelled = true
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
