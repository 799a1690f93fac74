import CalotypeSupport

/// Shows the progress of a batch on a terminal; silent anywhere else.
///
/// Several tasks report to it. It draws at most 20 times a second, and whole: the cursor is hidden no longer than one
/// drawing takes, so that nothing has to be put back however the process ends. What was drawn is taken away at the end.
package final class ProgressDisplay: Sendable {
  private struct State {
    var screen: ProgressScreen
    var lastDrawn: ContinuousClock.Instant?
    var hasNews = false
    var isClosed = false
  }

  package static let interval = Duration.milliseconds(50)

  package let isEnabled: Bool
  private let state: Lock<State>

  /// - Parameters:
  ///   - total: Items in all, if that is known.
  ///   - isWanted: Whether to show anything.
  package init(total: Int?, isWanted: Bool) {
    isEnabled = isWanted && Output.isCapableTerminal
    state = Lock(State(screen: ProgressScreen(total: total)))
  }

  /// An item is under way.
  package func begin(_ id: Int, label: String) {
    change { $0.begin(id, label: label) }
  }

  /// A transfer of one item has come so far.
  package func update(_ id: Int, received: Int, expected: Int?) {
    change { $0.update(id, received: received, expected: expected, at: .now) }
  }

  /// So many items are done, of so many bytes.
  package func update(done: Int, bytes: Int, label: String) {
    change { ($0.done, $0.bytes, $0.label) = (done, bytes, label) }
  }

  /// How many there are in all is known now.
  package func update(total: Int) {
    change { $0.total = total }
  }

  /// Ends an item, and runs `print`, whose output stands above the progress.
  package func finish(_ id: Int, print: () -> Void) {
    above(print) { $0.finish(id) }
  }

  /// Runs `print`, whose output stands above the progress.
  package func above(_ print: () -> Void) {
    above(print) { _ in }
  }

  /// Runs `body`; what is shown is kept up to date meanwhile, also when there is no news.
  package func show<Result: Sendable>(during body: () async -> Result) async -> Result {
    guard isEnabled else { return await body() }
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.keepUpToDate() }
      let result = await body()
      group.cancelAll()
      return result
    }
  }

  /// Removes the progress from the screen, for good.
  package func close() {
    guard isEnabled else { return }
    state.withLock { state in
      state.isClosed = true
      Screen.clear()
    }
  }

  private func keepUpToDate() async {
    while (try? await Task.sleep(for: Self.interval)) != nil {
      state.withLock { state in
        // Speeds fall when nothing comes; the window may have another size.
        let age = state.lastDrawn.map { ContinuousClock.now - $0 } ?? .seconds(1)
        if state.hasNews || age >= .milliseconds(400) { draw(&state) }
      }
    }
  }

  private func above(_ print: () -> Void, _ change: (inout ProgressScreen) -> Void) {
    guard isEnabled else { return print() }
    state.withLock { state in
      Screen.clear()
      print()
      change(&state.screen)
      draw(&state)
    }
  }

  private func change(_ body: (inout ProgressScreen) -> Void) {
    guard isEnabled else { return }
    state.withLock { state in
      body(&state.screen)
      draw(&state)
    }
  }

  private func draw(_ state: inout State) {
    let now = ContinuousClock.now
    state.hasNews = true
    if let last = state.lastDrawn, now - last < Self.interval { return }
    guard !state.isClosed else { return }
    (state.lastDrawn, state.hasNews) = (now, false)
    let size = Output.size
    Screen.draw(state.screen.lines(columns: size.columns, rows: size.rows, at: now), on: size)
  }
}
