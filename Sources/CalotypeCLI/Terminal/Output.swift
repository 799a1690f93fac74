import FoundationEssentials
import Glibc

/// Standard output and standard error, unbuffered, whole lines.
enum Output {
  /// A line on standard output. Ends the process when nobody reads any more.
  static func line(_ text: String) {
    if !write(text + "\n", to: STDOUT_FILENO) { exit(1) }
  }

  /// A line of JSON on standard output, keys in alphabetical order.
  static func json(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      return error("calotype: cannot write \(value) as JSON")
    }
    line(String(decoding: data, as: UTF8.self))
  }

  /// A line on standard error.
  static func error(_ text: String) {
    _ = write(text + "\n", to: STDERR_FILENO)
  }

  /// Text on standard error as it is, for progress.
  static func raw(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Columns of the terminal on standard error.
  static var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
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
