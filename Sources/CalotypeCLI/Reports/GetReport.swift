import Calotype
import CalotypeSupport
import FoundationEssentials
import CalotypeTerminal

/// The report of `get`: a line for each image, progress in between, totals at the end.
final class GetReport: Sendable {
  private struct State {
    var succeeded = 0
    var failed = 0
    var unchanged = 0
    var counts: [String: Int] = [:]
    var bytesWritten = 0
    var bytesOfOriginals = 0
    var bytesOfTheirThumbnails = 0
  }

  private let sources: [Source]
  private let json: Bool
  private let quiet: Bool
  /// Whether standard output gets an image instead of the report.
  private let writesOutput: Bool
  private let tellsEvents: Bool
  let display: ProgressDisplay
  private let start = ContinuousClock.now
  private let state = Lock(State())

  init(sources: [Source], json: Bool, events: Bool, quiet: Bool, writesOutput: Bool) {
    self.sources = sources
    self.json = json
    self.quiet = quiet
    self.writesOutput = writesOutput
    tellsEvents = events
    display = ProgressDisplay(total: sources.count, isWanted: !quiet)
  }

  var hasFailed: Bool { state.withLock { $0.failed > 0 } }

  /// Begins a source. Returns the observer of its events; `nil` if they are not shown.
  func begin(_ index: Int) -> ((LoadEvent) -> Void)? {
    guard tellsEvents || display.isEnabled else { return nil }
    display.begin(index, label: sources[index].shown)
    var lastTold: ContinuousClock.Instant?
    return { [self] event in
      if case .progress(let progress) = event {
        display.update(index, received: progress.received, expected: progress.expected)
        let now = ContinuousClock.now
        if let lastTold, now - lastTold < .milliseconds(100) { return }
        lastTold = now
      }
      tell(event, of: index)
    }
  }

  private func tell(_ event: LoadEvent, of index: Int) {
    guard tellsEvents else { return }
    let line = EventLine(event, source: sources[index].shown, at: ContinuousClock.now - start)
    display.above { Output.json(line) }
  }

  func succeeded(_ index: Int, _ result: Rendering.Result) {
    let origin = origin(of: result, sources[index])
    let place = result.unchanged == true ? "\(origin), unchanged" : origin
    state.withLock { state in
      state.succeeded += 1
      state.counts[origin, default: 0] += 1
      if result.unchanged == true { state.unchanged += 1 } else { state.bytesWritten += result.bytes }
      if let bytes = result.sourceBytes {
        state.bytesOfOriginals += bytes
        state.bytesOfTheirThumbnails += result.bytes
      }
    }
    display.finish(index) {
      if let warning = result.warning, !quiet {
        Output.error("calotype: \(result.source): \(warning)")
      }
      if json { return Output.json(result) }
      guard !quiet, !writesOutput else { return }
      var size = "\(result.width)×\(result.height)"
      if let width = result.sourceWidth, let height = result.sourceHeight {
        size = "\(width)×\(height) → \(size)"
      }
      var bytes = Formatting.bytes(result.bytes)
      if let original = result.sourceBytes { bytes = "\(Formatting.bytes(original)) → \(bytes)" }
      let time = Formatting.duration(.microseconds(Int64(result.milliseconds * 1000)))
      Output.line(
        "\(TerminalText(result.output).padded(to: 34)) \(size.padded(to: 22)) \(bytes.padded(to: 20)) "
          + "\(place.padded(to: 22)) \(time.leftPadded(to: 7))")
    }
  }

  func failed(_ index: Int, _ error: any Error) {
    state.withLock { $0.failed += 1 }
    tell(.failed(error), of: index)
    display.finish(index) {
      Failure(source: sources[index].shown, error: error).report(asJSON: json)
    }
  }

  /// Removes the progress, and writes the totals.
  func close() {
    display.close()
    guard !json, !quiet, !writesOutput else { return }
    let state = state.withLock { $0 }
    var parts = [Formatting.count(state.succeeded, "image")]
    if state.failed > 0 { parts.append("\(state.failed) failed") }
    if state.unchanged > 0 { parts.append("\(state.unchanged) unchanged") }
    let places = state.counts.sorted { $0.key < $1.key }.map { "\($0.value) from \($0.key)" }
    if !places.isEmpty { parts.append(places.joined(separator: ", ")) }
    if state.bytesOfOriginals > 0, state.bytesOfTheirThumbnails < state.bytesOfOriginals {
      let saved = state.bytesOfOriginals - state.bytesOfTheirThumbnails
      let percent = Int((Double(saved) / Double(state.bytesOfOriginals) * 100).rounded(.down))
      parts.append(
        "\(Formatting.bytes(state.bytesOfOriginals)) → \(Formatting.bytes(state.bytesOfTheirThumbnails))"
          + " (\(Formatting.bytes(saved)), \(percent) % saved)")
    } else {
      parts.append("\(Formatting.bytes(state.bytesWritten)) written")
    }
    parts.append(Formatting.duration(ContinuousClock.now - start))
    Output.line(parts.joined(separator: " · "))
  }

  private func origin(of result: Rendering.Result, _ source: Source) -> String {
    switch ImageResponse.Source(rawValue: result.from) {
    case .disk: "disk cache"
    case .diskOriginal: "disk cache (original)"
    case .memory: "memory"
    case .loader, nil: source.isFile ? "file" : source.scheme == "data" ? "the URL itself" : "network"
    }
  }
}
