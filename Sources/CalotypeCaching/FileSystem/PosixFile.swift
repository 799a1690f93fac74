import FoundationEssentials
import Glibc

/// An open file. Safe to share: reads and appends have no position, and the descriptor is closed with the last
/// reference.
final class PosixFile: CacheSharedFile {
  let status: FileStatus
  private let descriptor: Int32
  private let path: String

  /// Takes the descriptor over, and closes it also when it fails.
  init(descriptor: Int32, path: String, of files: PosixFileSystem) throws(FileSystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw FileSystemError(operation: "fstat", path: path, code: code)
    }
    self.descriptor = descriptor
    self.path = path
    self.status = FileStatus(status)
    // Released by now, and closed, when it is something else.
    guard self.status.kind == .regular else {
      throw FileSystemError(operation: "open", path: path, code: EINVAL)
    }
    try files.check(status, path)
  }

  deinit { close(descriptor) }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
    try readAll(descriptor, path, at: offset, into: buffer)
  }

  func currentStatus() throws(FileSystemError) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw FileSystemError(operation: "fstat", path: path, code: errno)
    }
    return FileStatus(status)
  }

  func append(_ data: Data, synchronize: Bool) throws(FileSystemError) {
    if let failure = data.withUnsafeBytes({ writeAll($0, to: descriptor, path: path) }) { throw failure }
    guard !synchronize || fdatasync(descriptor) == 0 else {
      throw FileSystemError(operation: "fdatasync", path: path, code: errno)
    }
  }

  func overwrite(_ data: Data) throws(FileSystemError) {
    // Linux appends wherever `pwrite` is told to write as long as the flag is set.
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw FileSystemError(operation: "fcntl", path: path, code: errno)
    }
    let written = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard written == data.count else {
      throw FileSystemError(operation: "pwrite", path: path, code: written < 0 ? errno : ENOSPC)
    }
  }

  func truncate(to length: Int) throws(FileSystemError) {
    guard ftruncate(descriptor, off_t(length)) == 0 else {
      throw FileSystemError(operation: "ftruncate", path: path, code: errno)
    }
  }

  func tryLock() throws(FileSystemError) -> Bool {
    if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw FileSystemError(operation: "flock", path: path, code: errno) }
    return false
  }

  func unlock() { _ = flock(descriptor, LOCK_UN) }
}

func readAll(
  _ descriptor: Int32, _ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
) throws(FileSystemError) -> Int {
  var length = 0
  while length < buffer.count {
    let got = pread(
      descriptor, buffer.baseAddress.map { $0 + length }, buffer.count - length, off_t(offset + length))
    if got < 0, errno == EINTR { continue }
    guard got >= 0 else { throw FileSystemError(operation: "pread", path: path, code: errno) }
    if got == 0 { break }
    length += got
  }
  return length
}

func writeAll(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String
) -> FileSystemError? {
  var offset = 0
  while offset < bytes.count {
    let count = write(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
    if count > 0 {
      offset += count
    } else if count == 0 || errno != EINTR {
      return FileSystemError(operation: "write", path: path, code: count == 0 ? ENOSPC : errno)
    }
  }
  return nil
}

func retrying(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result >= 0 || errno != EINTR { return result }
  }
}

extension FileStatus {
  init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .folder
      default: .other
      }
    let modified = Date(
      timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
    self.init(
      kind: kind, size: Int(status.st_size), modified: modified, identity: UInt64(status.st_ino),
      isLinked: status.st_nlink > 0)
  }
}

extension timespec {
  init(_ date: Date) {
    let (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = rest < 0 ? 1 : 0
    self.init(tv_sec: Int(seconds - borrow), tv_nsec: Int((rest + borrow * 1_000_000) * 1000))
  }
}
