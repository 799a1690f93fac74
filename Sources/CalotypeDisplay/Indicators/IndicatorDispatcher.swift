import Calotype
import CalotypeSupport

/// Calls an indicator, one call at a time. The first thread with a change makes the calls, also for changes
/// of other threads meanwhile.
final class IndicatorDispatcher: Sendable {
  private struct State {
    var told = IndicatorState()
    var isBusy = false
    /// Whether another thread has reported a change meanwhile.
    var looksAgain = false
  }

  private let indicator: any ImageSlotIndicator
  private let state = Lock(State())

  init(_ indicator: any ImageSlotIndicator) {
    self.indicator = indicator
  }

  /// Updates the indicator to the newest state.
  func look(_ newest: () -> Indication) {
    let isFirst = state.withLock { state in
      if state.isBusy { state.looksAgain = true }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFirst else { return }
    repeat { tell(newest) } while isNeeded()
  }

  private func tell(_ newest: () -> Indication) {
    while true {
      let target = newest()
      switch state.withLock({ $0.told.next(towards: target) }) {
      case .start: indicator.start()
      case .progress(let progress): indicator.progress(progress)
      case .stop: indicator.stop()
      case nil: return
      }
    }
  }

  private func isNeeded() -> Bool {
    state.withLock { state in
      state.isBusy = state.looksAgain
      defer { state.looksAgain = false }
      return state.isBusy
    }
  }
}
