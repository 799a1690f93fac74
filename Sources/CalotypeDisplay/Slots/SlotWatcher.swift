import Calotype
import CalotypeSupport

/// Counts one iteration over the states of a slot as a watcher, until it ends or is released.
final class SlotWatcher: Sendable {
  let core: SlotDriver
  private let hasLeft = Lock(false)

  init(_ core: SlotDriver) {
    self.core = core
    core.addWatchers(1)
  }

  deinit { leave() }

  /// Ends the watching. The first call counts.
  func leave() {
    let isFirst = hasLeft.withLock { hasLeft in
      defer { hasLeft = true }
      return !hasLeft
    }
    if isFirst { core.addWatchers(-1) }
  }
}
