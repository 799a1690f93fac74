import CalotypeSupport
import FoundationEssentials
import Glibc

/// Writes a file in pieces; its name is given to it when it is complete. Blocks.
final class OutputFileWriter: Sendable {
  private let path: String
  /// `nil` if the file itself is written to.
  private let temporary: String?
  /// -1 when it is closed.
  private let descriptor: Lock<Int32>

  /// - Parameters:
  ///   - path: The path of the file.
  ///   - isNamed: Whether the user named the file: then a device or a pipe is written to, and the file that a link leads
  ///     to is replaced. A name derived from a URL was chosen by its server, and a link there may come from a third
  ///     party: the link is replaced.
  ///   - mode: The permissions of a new file.
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``.
  init(_ path: String, isNamed: Bool, mode: mode_t = 0o666) throws(CommandError) {
    var status = stat()
    let isThere = isNamed && stat(path, &status) == 0
    let isPlain = !isThere || status.st_mode & S_IFMT == S_IFREG
    self.path = isThere && isPlain ? Self.target(of: path) : path
    temporary = isPlain ? "\(self.path).calotype-\(UInt32.random(in: 0 ... .max))" : nil
    let opened =
      temporary.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) }
      ?? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    let code = errno
    descriptor = Lock(opened)
    guard opened >= 0 else { throw failure(code) }
  }

  /// Returns the path of the file that links lead to.
  private static func target(of path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }

  /// Removes an incomplete file.
  deinit {
    guard case let descriptor = taken(), descriptor >= 0 else { return }
    close(descriptor)
    if let temporary { unlink(temporary) }
  }

  func write(_ data: Data) throws(CommandError) {
    let descriptor = descriptor.withLock { $0 }
    let code = data.withUnsafeBytes { bytes -> Int32? in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
    if let code { throw failure(code) }
  }

  /// Gives the file its name.
  func commit() throws(CommandError) {
    let isClosed = close(taken()) == 0
    if isClosed, temporary.map({ rename($0, path) == 0 }) ?? true { return }
    let error = failure()
    if let temporary { unlink(temporary) }
    throw error
  }

  /// Returns the descriptor to close.
  private func taken() -> Int32 {
    descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }

  private func failure(_ code: Int32 = errno) -> CommandError {
    .unwritableOutput(path: path, reason: String(cString: strerror(code)))
  }
}
