import BenchmarkHarness
import Glibc

/// A line on the terminal that says what is measured, and how long the rest takes; nothing elsewhere.
final class BenchmarkProgress {
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var seconds: [Double?]
  private var spent = 0.0
  private var done = 0

  /// - Parameter seconds: The time of each benchmark in an earlier run, if there was one.
  init(_ seconds: [Double?]) {
    self.seconds = seconds
  }

  /// Says that a benchmark begins.
  func show(_ index: Int, _ name: String) {
    guard isTerminal else { return }
    let rest = remaining(from: index).map { ", \(Self.text($0)) left" } ?? ""
    write("\r\u{1B}[K[\(index + 1)/\(seconds.count)] \(name)\(rest)")
  }

  /// Removes the line, and remembers the time of a benchmark.
  func note(_ index: Int, _ time: Double) {
    spent += time
    done += 1
    seconds[index] = time
    end()
  }

  /// Removes the line.
  func end() {
    if isTerminal { write("\r\u{1B}[K") }
  }

  /// The known times, and the mean of those for the others.
  private func remaining(from index: Int) -> Double? {
    let known = seconds.compactMap { $0 }
    guard !known.isEmpty else { return nil }
    let mean = known.reduce(0, +) / Double(known.count)
    return seconds[index...].reduce(0) { $0 + ($1 ?? mean) }
  }

  private static func text(_ seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds.rounded(.up))) s" : "\(Int((seconds / 60).rounded(.up))) min"
  }

  private func write(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
