import Glibc

/// The input of a terminal, for keys and answers: standard input if that is the terminal that is written to, else the
/// terminal itself, opened.
package final class TerminalInput: Sendable {
  package let descriptor: Int32
  private let isOpened: Bool

  /// `nil` if there is no terminal, or if another process is in its foreground, for which the keys are.
  package init?(of output: Int32) {
    if Self.isSame(STDIN_FILENO, output) {
      (descriptor, isOpened) = (STDIN_FILENO, false)
    } else {
      var name = [CChar](repeating: 0, count: 256)
      guard ttyname_r(output, &name, name.count) == 0 else { return nil }
      let opened = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard opened >= 0 else { return nil }
      (descriptor, isOpened) = (opened, true)
    }
    let foreground = tcgetpgrp(descriptor)
    if foreground > 0, foreground != getpgrp() { return nil }
  }

  /// Throws away what has been typed or answered and not been read.
  package func discard() { tcflush(descriptor, TCIFLUSH) }

  private static func isSame(_ one: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    return isatty(one) == 1 && fstat(one, &first) == 0 && fstat(other, &second) == 0
      && first.st_rdev == second.st_rdev
  }

  deinit {
    if isOpened { close(descriptor) }
  }
}
