/// The state that an indicator should show.
struct Indication: Hashable, Sendable {
  /// The number of the load.
  var number = 0
  /// Whether the load is in progress.
  var isOn = false
  var progress = SlotState.Progress()
}

extension SlotStateMachine {
  /// The state that an indicator should show.
  var indication: Indication {
    Indication(number: number, isOn: current != nil, progress: state.progress)
  }
}
