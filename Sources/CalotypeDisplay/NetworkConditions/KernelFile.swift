import Calotype
import Glibc

/// A file that the kernel generates when it is read.
enum KernelFile {
  /// The error of a failed read.
  struct Failure: Error, Hashable {
    /// The value of `errno`.
    let code: Int32

    /// Whether the file does not exist.
    var isAbsence: Bool { code == ENOENT }
    /// Whether this process, or the machine, lacks a resource, which says nothing about the file.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  }

  /// Returns all lines of a file, except an incomplete last one.
  ///
  /// - Parameter limit: The maximum number of bytes. Larger files are rejected (`EFBIG`), not cut, because
  ///   the wanted line may be at the end.
  static func lines(_ path: String, limit: Int) throws(Failure) -> [Substring] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(code: errno)
      }
      if count == 0 { break }
      guard count <= limit - bytes.count else { throw Failure(code: EFBIG) }
      bytes += chunk[..<count]
    }
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0
    return String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
  }
}
