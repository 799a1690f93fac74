import FoundationEssentials
import Glibc

/// An open file. It is safe to share: reads and appends use no file position, and the last reference closes the descriptor.
final class POSIXFile: SharedFile {
  let status: FileStatus
  private let descriptor: Int32
  private let path: String

  /// Takes over a descriptor, and closes it on failure too.
  init(descriptor: Int32, path: String, of files: POSIXFileSystem) throws(FileSystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw FileSystemError(operation: "fstat", path: path, code: code)
    }
    self.descriptor = descriptor
    self.path = path
    self.status = FileStatus(status)
    // All properties are set: `deinit` closes the descriptor if this throws.
    guard self.status.kind == .regular else {
      throw FileSystemError(operation: "open", path: path, code: EINVAL)
    }
    try files.check(status, path)
  }

  deinit { close(descriptor) }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try Self.read(descriptor, path, at: offset, into: buffer)
  }

  func currentStatus() throws(FileSystemError) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw FileSystemError(operation: "fstat", path: path, code: errno)
    }
    return FileStatus(status)
  }

  func append(_ data: Data, synchronize: Bool) throws(FileSystemError) {
    if let failure = data.withUnsafeBytes({ Self.write($0, to: descriptor, path: path) }) { throw failure }
    guard !synchronize || fdatasync(descriptor) == 0 else {
      throw FileSystemError(operation: "fdatasync", path: path, code: errno)
    }
  }

  func overwrite(_ data: Data) throws(FileSystemError) {
    // While `O_APPEND` is set, Linux appends regardless of the offset of `pwrite`.
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw FileSystemError(operation: "fcntl", path: path, code: errno)
    }
    let failure = data.withUnsafeBytes { Self.write($0, to: descriptor, at: 0, path: path) }
    if let failure { throw failure }
  }

  func truncate(to length: Int) throws(FileSystemError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw FileSystemError(operation: "ftruncate", path: path, code: errno)
    }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    if POSIX.retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw FileSystemError(operation: "flock", path: path, code: errno) }
    return false
  }

  func unlock() { _ = flock(descriptor, LOCK_UN) }

  static func read(
    _ descriptor: Int32, _ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    do throws(SystemError) {
      return try POSIX.read(descriptor, at: offset, into: buffer)
    } catch {
      throw FileSystemError(operation: "pread", path: path, error)
    }
  }

  /// Returns the error instead of throwing it, because closures of `Data.withUnsafeBytes` lose its type.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil, path: String
  ) -> FileSystemError? {
    do throws(SystemError) {
      try POSIX.write(bytes, to: descriptor, at: offset)
      return nil
    } catch {
      return FileSystemError(operation: offset == nil ? "write" : "pwrite", path: path, error)
    }
  }
}

extension timespec {
  init(_ date: Date) {
    let (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = rest < 0 ? 1 : 0
    self.init(tv_sec: Int(seconds - borrow), tv_nsec: Int((rest + borrow * 1_000_000) * 1000))
  }
}
