import CalotypeSupport

/// The lines at the bottom of the terminal on standard error that are drawn over and over. The cursor stays at their end.
package enum Screen {
  /// Widths of the lines that stand there; `nil` when the process is about to end.
  private static let widths = Lock<[Int]?>([])

  /// Draws these lines in place of those before.
  package static func draw(_ lines: [String], on size: Output.Size) {
    widths.withLock { widths in
      guard let before = widths else { return }
      var text = "\u{1B}[?25l" + back(over: before, on: size)
      text += lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
      text += "\u{1B}[J\u{1B}[?25h"
      widths = lines.map { TerminalText($0).width }
      Output.raw(text)
    }
  }

  /// Takes them away; harmless when there are none.
  package static func clear() {
    widths.withLock { clear(&$0) }
  }

  /// Takes them away for good, and puts the terminal back as it was: called on every way out of the process.
  package static func end() {
    TerminalGuard.leave()
    widths.withLock { widths in
      clear(&widths)
      widths = nil
    }
  }

  /// The same at once, whatever others are doing: they may wait for a terminal that does not read.
  package static func abandon() {
    TerminalGuard.abandon()
    _ = widths.withLockIfAvailable { clear(&$0) }
  }

  private static func clear(_ widths: inout [Int]?) {
    guard let before = widths, !before.isEmpty else { return }
    Output.raw(back(over: before, on: Output.size) + "\u{1B}[J")
    widths = []
  }

  /// To the beginning of the first line. In a window that has become narrower, terminals break lines anew.
  private static func back(over widths: [Int], on size: Output.Size) -> String {
    let rows = widths.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
    let up = min(rows, size.rows) - 1
    return up > 0 ? "\r\u{1B}[\(up)A" : "\r"
  }
}
