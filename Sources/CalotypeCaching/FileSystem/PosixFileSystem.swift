public import FoundationEssentials
import Glibc

/// The file system of the machine.
public struct PosixFileSystem: CacheFileSystem {
  /// Needs nothing.
  public init() {}

  /// Opens a regular file; never waits for the other end of a pipe.
  public func open(_ path: String) throws(FileSystemError) -> (any CacheFileReading)? {
    // Not blocking: a pipe somebody put there must not hang us. Access times of the kernel are not used.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = retrying { Glibc.open(path, flags) }
    if descriptor < 0 {
      if errno == ENOENT { return nil }
      throw FileSystemError(operation: "open", path: path, code: errno)
    }
    let file = PosixFile(descriptor: descriptor, path: path)
    guard let file else { throw FileSystemError(operation: "fstat", path: path, code: errno) }
    guard file.status.kind == .regular else {
      throw FileSystemError(operation: "open", path: path, code: EINVAL)
    }
    return file
  }

  /// Writes a new file with mode 0600.
  public func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let descriptor = retrying { Glibc.open(path, flags, mode_t(0o600)) }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: path, code: errno) }
    var failure: FileSystemError?
    func check(_ status: Int32, _ operation: String) {
      if status != 0, failure == nil {
        failure = FileSystemError(operation: operation, path: path, code: errno)
      }
    }
    for part in parts where failure == nil {
      failure = write(part, to: descriptor, path: path)
    }
    if failure == nil {
      let times = [timespec(modified), timespec(modified)]
      check(futimens(descriptor, times), "futimens")
    }
    if failure == nil, synchronize { check(fsync(descriptor), "fsync") }
    // Network file systems report at the end what they could not write.
    check(close(descriptor), "close")
    if let failure {
      unlink(path)
      throw failure
    }
  }

  /// Renames a file with `rename(2)`.
  public func rename(
    _ path: String, to newPath: String, synchronize: Bool
  ) throws(FileSystemError) {
    guard Glibc.rename(path, newPath) == 0 else {
      throw FileSystemError(operation: "rename", path: newPath, code: errno)
    }
    guard synchronize else { return }
    let folder = String(newPath[..<(newPath.lastIndex(of: "/") ?? newPath.startIndex)])
    let descriptor = retrying { Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: folder, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw FileSystemError(operation: "fsync", path: folder, code: errno)
    }
  }

  /// Unlinks a file.
  public func remove(_ path: String) throws(FileSystemError) -> Bool {
    if unlink(path) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw FileSystemError(operation: "unlink", path: path, code: errno)
  }

  /// Sets the modification time; the access time stays.
  public func touch(_ path: String, modified: Date) throws(FileSystemError) {
    let times = [timespec(tv_sec: 0, tv_nsec: Self.omit), timespec(modified)]
    guard utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT else {
      throw FileSystemError(operation: "utimensat", path: path, code: errno)
    }
  }

  /// Asks `lstat(2)`.
  public func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    var status = stat()
    if lstat(path, &status) == 0 { return FileStatus(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw FileSystemError(operation: "lstat", path: path, code: errno)
  }

  /// Lists a folder that is no symbolic link.
  public func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
    let descriptor = retrying { Glibc.open(folder, flags) }
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw FileSystemError(operation: "open", path: folder, code: errno)
    }
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      throw FileSystemError(operation: "fdopendir", path: folder, code: code)
    }
    defer { closedir(stream) }
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno == 0 { return }
        throw FileSystemError(operation: "readdir", path: folder, code: errno)
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      var status = stat()
      // Files may vanish between the two calls.
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      body(name, FileStatus(status))
    }
  }

  /// Makes folders with mode 0700.
  public func makeFolder(_ path: String) throws(FileSystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw FileSystemError(operation: "mkdir", path: path, code: errno)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FileSystemError(operation: "mkdir", path: path, code: errno)
    }
  }

  /// `UTIME_OMIT`, whose macro Swift does not import.
  private static let omit = (1 << 30) - 2

  private func write(_ data: Data, to descriptor: Int32, path: String) -> FileSystemError? {
    data.withUnsafeBytes { raw in
      var offset = 0
      while offset < raw.count {
        let count = Glibc.write(descriptor, raw.baseAddress.map { $0 + offset }, raw.count - offset)
        if count > 0 {
          offset += count
        } else if count == 0 || errno != EINTR {
          return FileSystemError(operation: "write", path: path, code: count == 0 ? ENOSPC : errno)
        }
      }
      return nil
    }
  }
}

/// An open file. Safe to share: `pread` has no position, and the descriptor is closed with the last reference.
private final class PosixFile: CacheFileReading {
  let status: FileStatus
  private let descriptor: Int32
  private let path: String

  /// Takes the descriptor over, and closes it also when it fails.
  init?(descriptor: Int32, path: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    self.descriptor = descriptor
    self.path = path
    self.status = FileStatus(status)
  }

  deinit { close(descriptor) }

  func read(at offset: Int, count: Int) throws(FileSystemError) -> Data {
    guard count > 0 else { return Data() }
    var data = Data(count: count)
    var failure: Int32 = 0
    let length = data.withUnsafeMutableBytes { raw -> Int in
      var length = 0
      while length < raw.count {
        let got = pread(
          descriptor, raw.baseAddress.map { $0 + length }, raw.count - length, off_t(offset + length))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { break }
        length += got
      }
      return length
    }
    guard failure == 0 else { throw FileSystemError(operation: "pread", path: path, code: failure) }
    if length < count { data.removeLast(count - length) }
    return data
  }
}

private func retrying(_ call: () -> Int32) -> Int32 {
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
    self.init(kind: kind, size: Int(status.st_size), modified: modified, identity: UInt64(status.st_ino))
  }
}

extension timespec {
  init(_ date: Date) {
    let (seconds, rest) = date.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let borrow: Int64 = rest < 0 ? 1 : 0
    self.init(tv_sec: Int(seconds - borrow), tv_nsec: Int((rest + borrow * 1_000_000) * 1000))
  }
}
