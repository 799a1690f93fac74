import Calotype
import CalotypeSupport
import CalotypeTerminal

/// The report of `prefetch`: failures as they occur, progress in between, totals at the end.
final class PrefetchReport: Sendable {
  private struct State {
    var begun = 0
    var loaded = 0
    var skipped = 0
    var failed = 0
    var bytes = 0
  }

  private struct Ended: Encodable {
    let source: String
    let line: Int
    let outcome: String
    let bytes: Int?
  }

  let display: ProgressDisplay
  private let json: Bool
  private let quiet: Bool
  private let start = ContinuousClock.now
  private let state = Lock(State())

  init(json: Bool, quiet: Bool) {
    self.json = json
    self.quiet = quiet
    display = ProgressDisplay(total: nil, isWanted: !quiet)
  }

  var hasFailed: Bool { state.withLock { $0.failed > 0 } }

  /// Records that a line was read.
  func begin(_ line: LineReader.Line) {
    state.withLock { $0.begun += 1 }
  }

  /// Records the end of the list.
  func listHasEnded() {
    display.update(total: state.withLock { $0.begun })
  }

  func ended(_ line: LineReader.Line, _ outcome: Prefetch.Outcome) {
    var bytes: Int?
    var isSkipped = true
    if case .loaded(let count) = outcome { (bytes, isSkipped) = (count, false) }
    let all = state.withLock { state in
      if isSkipped { state.skipped += 1 } else { state.loaded += 1 }
      state.bytes += bytes ?? 0
      return state
    }
    let ended = Ended(
      source: line.shown, line: line.number, outcome: isSkipped ? "skipped" : "loaded", bytes: bytes)
    if json {
      display.above { Output.json(ended) }
    }
    display.update(
      done: all.loaded + all.skipped + all.failed, bytes: all.bytes, label: line.shown)
  }

  func failed(_ line: LineReader.Line, _ error: any Error) {
    fail(Failure(source: line.shown, line: line.number, error: error))
  }

  /// Reports that the list itself cannot be read any further.
  func failed(_ list: String, _ error: any Error) {
    fail(Failure(source: list, error: error))
  }

  private func fail(_ failure: Failure) {
    let all = state.withLock { state in
      state.failed += 1
      return state
    }
    display.above { failure.report(asJSON: json) }
    display.update(done: all.loaded + all.skipped + all.failed, bytes: all.bytes, label: failure.source)
  }

  /// Removes the progress, and writes the totals.
  func close() {
    display.close()
    guard !json, !quiet else { return }
    let state = state.withLock { $0 }
    var parts = [Formatting.count(state.loaded + state.skipped, "image")]
    if state.loaded > 0 { parts.append("\(state.loaded) loaded, \(Formatting.bytes(state.bytes))") }
    if state.skipped > 0 { parts.append("\(state.skipped) cached already") }
    if state.failed > 0 { parts.append("\(state.failed) failed") }
    parts.append(Formatting.duration(ContinuousClock.now - start))
    Output.line(parts.joined(separator: " · "))
  }
}
