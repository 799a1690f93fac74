/// The calls that an indicator has received. A value.
struct IndicatorState {
  enum Call: Equatable {
    case start
    case progress(SlotState.Progress)
    case stop
  }

  private var told = Indication()

  /// Returns the next call on the way to `target`; `nil` when the indicator shows it.
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
