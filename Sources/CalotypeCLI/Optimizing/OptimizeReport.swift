import Calotype
import CalotypeSupport
import CalotypeTerminal

/// The report of `optimize`: a line for each file that got smaller, progress in between, totals at the end.
final class OptimizeReport: Sendable {
  /// The end of a file.
  struct Result: Encodable, Sendable {
    let source: String
    /// `optimized`, `unchanged` or `skipped`.
    let outcome: String
    let bytes: Int?
    let sourceBytes: Int?
    /// The reason why it was skipped.
    let reason: String?
  }

  private struct State {
    var done = 0
    var optimized = 0
    var skipped = 0
    var failed = 0
    var before = 0
    var after = 0
  }

  let display: ProgressDisplay
  private let json: Bool
  private let quiet: Bool
  private let isDryRun: Bool
  private let start = ContinuousClock.now
  private let state = Lock(State())

  init(count: Int, json: Bool, quiet: Bool, isDryRun: Bool) {
    (self.json, self.quiet, self.isDryRun) = (json, quiet, isDryRun)
    display = ProgressDisplay(total: count, isWanted: !quiet)
  }

  var hasFailed: Bool { state.withLock { $0.failed > 0 } }

  func ended(_ path: String, bytes: Int, sourceBytes: Int) {
    let isSmaller = bytes < sourceBytes
    let all = state.withLock { state in
      state.done += 1
      state.optimized += isSmaller ? 1 : 0
      state.before += sourceBytes
      state.after += bytes
      return state
    }
    let result = Result(
      source: path, outcome: isSmaller ? "optimized" : "unchanged", bytes: bytes, sourceBytes: sourceBytes,
      reason: nil)
    display.above {
      if json { return Output.json(result) }
      guard !quiet, isSmaller else { return }
      let share = 100 * Double(sourceBytes - bytes) / Double(sourceBytes)
      let sizes = "\(Formatting.bytes(sourceBytes)) → \(Formatting.bytes(bytes))"
      Output.line(
        "\(TerminalText(path).padded(to: 44)) \(sizes.padded(to: 24)) −\(Int(share.rounded(.down))) %")
    }
    display.update(done: all.done, bytes: all.before, label: path)
  }

  func skipped(_ path: String, _ reason: String) {
    let all = state.withLock { state in
      state.done += 1
      state.skipped += 1
      return state
    }
    let result = Result(source: path, outcome: "skipped", bytes: nil, sourceBytes: nil, reason: reason)
    display.above {
      if json { return Output.json(result) }
      if !quiet { Output.line("\(TerminalText(path).padded(to: 44)) left alone: \(reason)") }
    }
    display.update(done: all.done, bytes: all.before, label: path)
  }

  func failed(_ path: String, _ error: any Error) {
    let all = state.withLock { state in
      state.done += 1
      state.failed += 1
      return state
    }
    display.above { Failure(source: path, error: error).report(asJSON: json) }
    display.update(done: all.done, bytes: all.before, label: path)
  }

  /// Removes the progress, and writes the totals.
  func close() {
    display.close()
    guard !json, !quiet else { return }
    let state = state.withLock { $0 }
    var parts = [Formatting.count(state.done, "file")]
    parts.append(isDryRun ? "\(state.optimized) could be smaller" : "\(state.optimized) smaller")
    if state.skipped > 0 { parts.append("\(state.skipped) left alone") }
    if state.failed > 0 { parts.append("\(state.failed) failed") }
    let saved = state.before - state.after
    let percent = state.before > 0 ? 100 * Double(saved) / Double(state.before) : 0
    parts.append(
      "\(Formatting.bytes(state.before)) → \(Formatting.bytes(state.after)) (\(Int(percent.rounded(.down))) % saved)"
    )
    parts.append(Formatting.duration(ContinuousClock.now - start))
    Output.line(parts.joined(separator: " · "))
  }
}
