import FoundationEssentials
import Glibc

/// What the system refused.
struct SystemError: Error, Equatable {
  /// `errno`.
  let code: Int32
  var reason: String { String(cString: strerror(code)) }

  init(_ code: Int32) {
    self.code = code
  }
}

/// An open file that is closed when it is released.
final class FileDescriptor: Sendable {
  let number: Int32

  /// Opens a file, which child processes do not inherit; `mode` is for one that is made.
  init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
    number = open(path, flags | O_CLOEXEC, mode)
    if number < 0 { throw SystemError(errno) }
  }

  /// Takes an open file over.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Locks the file for this descriptor, until it is closed. False if somebody else has it.
  func lock() -> Bool {
    flock(number, LOCK_EX | LOCK_NB) == 0
  }

  /// Lets others lock it, whoever still holds the descriptor.
  func unlock() {
    flock(number, LOCK_UN)
  }

  /// Whether `path` still names this file.
  func isStill(at path: String) -> Bool {
    var mine = stat()
    var there = stat()
    return fstat(number, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino
      && mine.st_dev == there.st_dev
  }

  /// Whether the file belongs to this user, or to root.
  var isTrusted: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0)
  }

  /// Fewer bytes only at the end of the file.
  func read(at offset: Int, count: Int) throws(SystemError) -> Data {
    var data = Data(count: count)
    var filled = 0
    var failure: Int32 = 0
    data.withUnsafeMutableBytes { buffer in
      while filled < count {
        let got = pread(
          number, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
        if got == 0 { return }
        if got > 0 {
          filled += got
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if failure != 0 { throw SystemError(failure) }
    return filled == count ? data : Data(data.prefix(filled))
  }

  /// Writes all of it.
  func write(_ data: Data, at offset: Int) throws(SystemError) {
    var failure: Int32 = 0
    data.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = pwrite(
          number, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
        if count > 0 {
          done += count
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if failure != 0 { throw SystemError(failure) }
  }
}
