import FoundationEssentials
import Glibc

/// Standard output and standard error, unbuffered, whole lines.
package enum Output {
  /// Writes a line to standard output, escaped by ``SanitizedText/escaped(_:)``. Ends the process when the reader is gone.
  package static func line(_ text: String) {
    plainLine(SanitizedText.escaped(text))
  }

  /// Writes a line of JSON to standard output, keys in alphabetical order, escaped by ``SanitizedText/escaped(json:)``.
  package static func json(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      return error("calotype: cannot write \(value) as JSON")
    }
    plainLine(SanitizedText.escaped(json: String(decoding: data, as: UTF8.self)))
  }

  /// Writes a line to standard error, escaped by ``SanitizedText/escaped(_:)``.
  package static func error(_ text: String) {
    _ = write(SanitizedText.escaped(text) + "\n", to: STDERR_FILENO)
  }

  /// Writes text of several lines, such as help, each escaped by ``SanitizedText/escaped(_:)``.
  package static func paragraphs(_ text: String, isError: Bool) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      isError ? error(String(line)) : self.line(String(line))
    }
  }

  private static func plainLine(_ text: String) {
    guard !write(text + "\n", to: STDOUT_FILENO) else { return }
    Screen.end()
    _exit(1)
  }

  /// Text on standard error as it is, for progress: names in it are ``TerminalText``.
  package static func raw(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  /// Whether standard error is a terminal that understands control codes.
  package static var isCapableTerminal: Bool {
    guard isatty(STDERR_FILENO) == 1, let type = getenv("TERM") else { return false }
    return !["", "dumb"].contains(String(cString: type))
  }

  /// Columns and rows, and the size in pixels where that is known.
  package struct Size: Hashable {
    package var columns = 80
    package var rows = 24
    package var width = 0
    package var height = 0
  }

  /// The size of the terminal on standard error.
  package static var size: Size { size(of: STDERR_FILENO) }

  /// The size of a terminal.
  package static func size(of descriptor: Int32) -> Size {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return Size()
    }
    return Size(
      columns: Int(window.ws_col), rows: Int(window.ws_row), width: Int(window.ws_xpixel),
      height: Int(window.ws_ypixel))
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    write(Array(text.utf8), to: descriptor)
  }

  /// Writes all bytes. `false` when the reader is gone.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
