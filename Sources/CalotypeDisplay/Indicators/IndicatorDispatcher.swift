import Calotype
import CalotypeSupport

/// What an indicator should show.
struct Indication: Hashable, Sendable {
  /// Which load it is about.
  var number = 0
  /// Whether it runs.
  var isOn = false
  var progress = ImageSlot.Progress()
}

extension SlotStateMachine {
  /// What an indicator should show.
  var indication: Indication {
    Indication(number: number, isOn: current != nil, progress: state.progress)
  }
}

/// What an indicator was told. Pure.
struct IndicatorState {
  enum Call: Equatable {
    case start
    case progress(ImageSlot.Progress)
    case stop
  }

  private var told = Indication()

  /// The next call on the way to what it should show; `nil` when it does.
  mutating func next(towards target: Indication) -> Call? {
    guard told.isOn else {
      guard target.isOn, target.number != told.number else { return nil }
      told = Indication(number: target.number, isOn: true)
      return .start
    }
    if target.number == told.number, target.progress != told.progress {
      told.progress = target.progress
      return .progress(target.progress)
    }
    guard target.number != told.number || !target.isOn else { return nil }
    told.isOn = false
    return .stop
  }
}

/// Calls an indicator, one call after the other, by whichever thread comes first; the others leave it to that one.
final class IndicatorDispatcher: Sendable {
  private struct State {
    var told = IndicatorState()
    var isBusy = false
    /// Somebody came while it was busy.
    var looksAgain = false
  }

  private let indicator: any ImageSlotIndicator
  private let state = Lock(State())

  init(_ indicator: any ImageSlotIndicator) {
    self.indicator = indicator
  }

  /// Tells the indicator what is new.
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
