import FoundationEssentials
import Glibc

/// Writes a file atomically: to a temporary file beside it, which is then renamed over it.
enum OutputFile {
  /// - Parameters:
  ///   - data: The contents.
  ///   - path: The path of the file.
  ///   - isNamed: Whether the user named the file: then a device, a pipe or a link is written to. A name
  ///     derived from a URL was chosen by its server, and a link there may come from a third party: it is
  ///     replaced.
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``.
  static func write(_ data: Data, to path: String, isNamed: Bool) throws(CommandError) {
    func failure() -> CommandError { .unwritableOutput(path: path, reason: String(cString: strerror(errno))) }
    var status = stat()
    let isPlain = !isNamed || lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    let temporary = isPlain ? "\(path).calotype-\(UInt32.random(in: 0 ... .max))" : nil
    let descriptor =
      temporary.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      ?? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    var error: CommandError?
    data.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno != EINTR {
          error = failure()
          return
        }
      }
    }
    if close(descriptor) != 0, error == nil { error = failure() }
    if error == nil, let temporary, rename(temporary, path) != 0 { error = failure() }
    if let error {
      if let temporary { unlink(temporary) }
      throw error
    }
  }

  /// Creates a folder and its missing ancestors.
  static func makeFolder(_ path: String) throws(CommandError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .unwritableOutput(path: path, reason: "the folder cannot be made")
    }
  }

  /// Returns whether two paths refer to the same file.
  static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino && first.st_mode & S_IFMT == S_IFREG
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
