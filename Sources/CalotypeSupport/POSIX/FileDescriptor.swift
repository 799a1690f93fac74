package import FoundationEssentials
import Glibc

/// An open file that is closed when it is released.
package final class FileDescriptor: Sendable {
  /// The number of the descriptor; valid as long as this object lives.
  package let number: Int32

  /// Opens a file. Child processes do not inherit the descriptor.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - flags: The flags of `open(2)`; `O_CLOEXEC` is added.
  ///   - mode: The permissions of a file that this call creates.
  package init(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(SystemError) {
    number = POSIX.retrying { open(path, flags | O_CLOEXEC, mode) }
    if number < 0 { throw SystemError(errno) }
  }

  /// Takes over an open descriptor.
  package init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Locks the file for this descriptor until it is closed. Returns `false` if another descriptor holds the lock.
  package func lock() -> Bool {
    POSIX.retrying { flock(number, LOCK_EX | LOCK_NB) } == 0
  }

  /// Releases the lock, even if the descriptor stays open.
  package func unlock() {
    flock(number, LOCK_UN)
  }

  /// Whether `path` still names this file.
  package func isStill(at path: String) -> Bool {
    var mine = stat()
    var there = stat()
    return fstat(number, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino
      && mine.st_dev == there.st_dev
  }

  /// Whether the file belongs to this user or to root.
  package var isTrusted: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0)
  }

  /// Cuts the file off, or extends it with zeros.
  package func truncate(to length: Int) throws(SystemError) {
    if POSIX.retrying({ ftruncate(number, off_t(length)) }) != 0 { throw SystemError(errno) }
  }

  /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
  package func read(at offset: Int, count: Int) throws(SystemError) -> Data {
    var data = Data(count: count)
    let result = data.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try POSIX.read(number, at: offset, into: buffer) }
    }
    let length = try result.get()
    return length == count ? data : Data(data.prefix(length))
  }

  /// Writes all of `data` at `offset`.
  package func write(_ data: Data, at offset: Int) throws(SystemError) {
    let result = data.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try POSIX.write(bytes, to: number, at: offset) }
    }
    try result.get()
  }
}
