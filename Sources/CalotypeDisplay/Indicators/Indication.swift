/// What an indicator should show.
struct Indication: Hashable, Sendable {
  /// Which load it is about.
  var number = 0
  /// Whether it runs.
  var isOn = false
  var progress = SlotState.Progress()
}

extension SlotStateMachine {
  /// What an indicator should show.
  var indication: Indication {
    Indication(number: number, isOn: current != nil, progress: state.progress)
  }
}
