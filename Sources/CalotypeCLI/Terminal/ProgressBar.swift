import CalotypeSupport

/// One line on a terminal that tells how far a batch is; silent anywhere else.
///
/// Several tasks report to it. It draws at most 20 times a second and leaves an empty line behind.
final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var received: [Int: (Int, Int?)] = [:]
    var label = ""
    var lastDrawn: ContinuousClock.Instant?
    var isVisible = false
  }

  private let total: Int
  private let isEnabled: Bool
  private let state = Lock(State())

  init(total: Int, isEnabled: Bool) {
    self.total = total
    self.isEnabled = isEnabled && Output.isTerminal
  }

  /// A transfer of one item has come so far.
  func update(item: Int, label: String, received: Int, expected: Int?) {
    change { state in
      state.received[item] = (received, expected)
      state.label = label
    }
  }

  /// So many items are done, of so many bytes.
  func update(done: Int, received: Int, label: String) {
    change { state in
      state.done = done
      state.received = [0: (received, nil)]
      state.label = label
    }
  }

  /// One item has ended, well or not. `line` is printed above the bar.
  func finish(item: Int, line: () -> Void) {
    guard isEnabled else { return line() }
    state.withLock { state in
      clear(&state)
      line()
      state.done += 1
      draw(&state)
    }
  }

  /// Takes the bar off the screen.
  func close() {
    guard isEnabled else { return }
    state.withLock { clear(&$0) }
  }

  private func change(_ body: (inout State) -> Void) {
    guard isEnabled else { return }
    state.withLock { state in
      body(&state)
      if let last = state.lastDrawn, ContinuousClock.now - last < .milliseconds(50) { return }
      draw(&state)
    }
  }

  private func clear(_ state: inout State) {
    if state.isVisible { Output.raw("\r\u{1B}[K") }
    state.isVisible = false
  }

  private func draw(_ state: inout State) {
    state.lastDrawn = ContinuousClock.now
    state.isVisible = true
    let bytes = state.received.values.reduce(0) { $0 + $1.0 }
    // Items under way count by their share, so that the bar also moves for one large file.
    let underWay = state.received.values.reduce(0.0) { sum, item in
      guard let expected = item.1, expected > 0 else { return sum }
      return sum + min(1, Double(item.0) / Double(expected))
    }
    let fraction = min(1, max(Double(state.done), underWay) / Double(max(1, total)))
    let width = 28
    let filled = Int((fraction * Double(width)).rounded(.down))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let text = " \(bar) \(state.done)/\(total)  \(Formatting.bytes(bytes).leftPadded(to: 8))  "
    Output.raw("\r" + text + state.label.tail(max(0, Output.columns - text.count - 1)) + "\u{1B}[K")
  }
}
