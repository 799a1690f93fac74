import ArgumentParser
import FoundationEssentials
import Glibc

/// Standard output as the destination of bytes.
enum StandardOutput {
  /// The name on the command line.
  static let name = "-"

  /// The number of bytes that a pipe takes without blocking when it is ready: `PIPE_BUF` of Linux.
  private static let pipeBuffer = 4096

  /// Refuses a terminal, which would show the bytes as text.
  ///
  /// - Throws: ``ArgumentParser/ValidationError``.
  static func check(isForced: Bool) throws {
    guard isForced || isatty(STDOUT_FILENO) == 0 else {
      throw ValidationError(
        "Standard output is a terminal, and the bytes may upset it; redirect them, or add --force.")
    }
  }

  /// Writes all bytes. Blocks, and ends when the task is cancelled.
  ///
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``; `CancellationError`.
  static func write(_ data: Data) throws {
    try data.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        try Task.checkCancellation()
        var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        let count = poll(&ready, 1, 100)
        guard count != 0 else { continue }
        let written = Glibc.write(STDOUT_FILENO, rest.baseAddress, min(rest.count, pipeBuffer))
        if written > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        } else if errno != EINTR, errno != EAGAIN {
          throw CommandError.unwritableOutput(
            path: "standard output", reason: String(cString: strerror(errno)))
        }
      }
    }
  }
}
