import Calotype
import Glibc

/// A file that the kernel makes when it is read.
enum KernelFile {
  /// Why one could not be read.
  struct Failure: Error, Hashable {
    /// As `errno` has it.
    let code: Int32

    /// There is none.
    var isAbsence: Bool { code == ENOENT }
    /// It says nothing of the file: this process, or the machine, is out of something.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  }

  /// All lines of a file; one that has no end is left out.
  ///
  /// - Parameter limit: More bytes than that are refused (`EFBIG`), not cut: what is wanted may be at the end.
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
