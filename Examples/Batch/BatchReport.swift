import Calotype
import FoundationEssentials
import Glibc

/// Reports the outcome for each image to people, or with `--json` to programs.
final class BatchReport {
  private let json: Bool
  /// Standard output may be a file; the line is for eyes.
  private let isOnTerminal = isatty(STDERR_FILENO) == 1
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastLine: ContinuousClock.Instant?
  private var progress: BatchProgress
  private var outputBytes = 0
  private var failures: [(file: String, error: any Error)] = []

  init(count: Int, byteCount: Int, json: Bool) {
    self.json = json
    progress = BatchProgress(count: count, byteCount: byteCount)
    start = clock.now
  }

  /// One image is done.
  func add(_ outcome: ThumbnailMaker.Outcome) {
    let name = outcome.file.url.lastPathComponent
    progress.done += 1
    progress.doneBytes += outcome.file.byteCount
    switch outcome.result {
    case .success(let thumbnail):
      outputBytes += thumbnail.data.count
      if json {
        write(
          Line(
            file: name, width: thumbnail.width, height: thumbnail.height, bytes: thumbnail.data.count))
      }
    case .failure(let error):
      failures.append((name, error))
      if json {
        let code = (error as? any CalotypeError)?.code ?? "io"
        write(Line(file: name, error: .init(code: code, message: "\(error)")))
      }
    }
    showProgress()
  }

  /// Writes the errors and the sums.
  ///
  /// - Returns: Whether any image failed.
  func finish() -> Bool {
    if isOnTerminal { tell("\r\u{1B}[K") }
    let made = progress.done - failures.count
    if json {
      write(
        Sums(
          images: progress.count, made: made, failed: failures.count, bytes: progress.doneBytes,
          outputBytes: outputBytes, seconds: (clock.now - start) / .seconds(1)))
    } else {
      for failure in failures { tell(Self.visible("\(failure.file): \(failure.error)") + "\n") }
      print(
        "\(made) of \(progress.count) thumbnails, \(failures.count) failed · "
          + "\(BatchProgress.megabytes(progress.doneBytes)) MB → \(BatchProgress.megabytes(outputBytes)) MB")
    }
    return !failures.isEmpty
  }

  private func showProgress() {
    let now = clock.now
    guard isOnTerminal, lastLine.map({ now - $0 >= .milliseconds(100) }) ?? true else { return }
    lastLine = now
    tell("\r\u{1B}[K" + progress.line(after: now - start))
  }

  private func tell(_ text: String) {
    _ = text.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Names of files come from others, and must not steer the terminal.
  private static func visible(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
  }

  private func write(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return }
    print(String(decoding: data, as: UTF8.self))
    fflush(nil)  // Readers of the lines see each at once.
  }

  private struct Line: Encodable {
    struct Failure: Encodable {
      let code: String
      let message: String
    }
    let file: String
    var width: Int?
    var height: Int?
    var bytes: Int?
    var error: Failure?
  }

  private struct Sums: Encodable {
    let images: Int
    let made: Int
    let failed: Int
    let bytes: Int
    let outputBytes: Int
    let seconds: Double
  }
}
