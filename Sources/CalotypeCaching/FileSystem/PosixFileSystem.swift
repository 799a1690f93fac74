import CLinux
public import FoundationEssentials
import Glibc

/// The file system of the machine.
///
/// Files and folders are used only if they belong to the user of the process or to root: others could have put there
/// whatever they like, and a cache is believed by those who read it.
public struct PosixFileSystem: CacheFileSystem {
  private let trustedOwners: Set<UInt32>

  /// The file system as the user of this process sees it.
  ///
  /// - Parameter trustedOwners: Numbers of users whose files are used as well, such as the owner of a volume in a
  ///   container.
  public init(trustedOwners: Set<UInt32> = []) {
    self.trustedOwners = trustedOwners
  }

  /// Asks `stat(2)`; links are followed, because it was the user who named the folder.
  public func checkOwner(of folder: String) throws(FileSystemError) {
    var status = stat()
    guard stat(folder, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw FileSystemError(operation: "stat", path: folder, code: errno)
    }
    try check(status, folder)
  }

  /// - Throws: ``FileSystemError/untrustedOwner(_:)``.
  func check(_ status: stat, _ path: String) throws(FileSystemError) {
    let owner = status.st_uid
    guard owner == geteuid() || owner == 0 || trustedOwners.contains(owner) else {
      throw .untrustedOwner(path)
    }
  }

  /// Reads a file with `open(2)`, `fstat(2)` and `pread(2)`; what must not wait asks for what is in memory
  /// (`RESOLVE_CACHED`, `RWF_NOWAIT`).
  public func contents(
    of path: String, limit: Int, mayWait: Bool
  ) throws(FileSystemError) -> FileContents? {
    let descriptor = retrying {
      mayWait ? Glibc.open(path, Self.readFlags) : calotype_open_cached(path, Self.readFlags)
    }
    if descriptor < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      // Whoever may wait finds out what it is.
      throw FileSystemError(operation: "open", path: path, code: mayWait ? errno : EAGAIN)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw FileSystemError(operation: "fstat", path: path, code: errno)
    }
    let found = FileStatus(status)
    guard found.kind == .regular else {
      throw FileSystemError(operation: "open", path: path, code: EINVAL)
    }
    try check(status, path)
    let count = found.size <= limit ? found.size : 0
    let bytes = try FileBytes(capacity: count) { buffer throws(FileSystemError) in
      if !mayWait, count > 0 {
        let got = calotype_read_cached(descriptor, buffer.baseAddress, count, 0)
        if got == count { return got }
        // A part of it, or nothing, is in memory. Where the file system cannot tell, all is if it is nowhere else.
        guard got < 0, errno == EOPNOTSUPP, calotype_is_in_memory(descriptor) != 0 else {
          throw FileSystemError(operation: "preadv2", path: path, code: EAGAIN)
        }
      }
      return try readAll(descriptor, path, at: 0, into: buffer)
    }
    return FileContents(status: found, bytes: bytes)
  }

  /// Opens a regular file; never waits for the other end of a pipe.
  public func open(_ path: String) throws(FileSystemError) -> (any CacheFileReading)? {
    let descriptor = retrying { Glibc.open(path, Self.readFlags) }
    if descriptor < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileSystemError(operation: "open", path: path, code: errno)
    }
    return try PosixFile(descriptor: descriptor, path: path, of: self)
  }

  /// Opens a regular file for reading and appending, mode 0600 when it is new.
  public func openShared(_ path: String) throws(FileSystemError) -> any CacheSharedFile {
    let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = retrying { Glibc.open(path, flags, mode_t(0o600)) }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: path, code: errno) }
    return try PosixFile(descriptor: descriptor, path: path, of: self)
  }

  // Not blocking: a pipe somebody put there must not hang us. Access times of the kernel are not used.
  private static let readFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

  /// Writes a file with mode 0600, and always a new one: what bore the name may be a pipe, or have another name.
  public func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    var descriptor = retrying { Glibc.open(path, flags, mode_t(0o600)) }
    if descriptor < 0, errno == EEXIST {
      _ = try remove(path)
      descriptor = retrying { Glibc.open(path, flags, mode_t(0o600)) }
    }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: path, code: errno) }
    var failure: FileSystemError?
    func check(_ status: Int32, _ operation: String) {
      if status != 0, failure == nil {
        failure = FileSystemError(operation: operation, path: path, code: errno)
      }
    }
    for part in parts where failure == nil {
      failure = part.withUnsafeBytes { writeAll($0, to: descriptor, path: path) }
    }
    if failure == nil {
      let time = timespec(modified)
      withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
        times.initialize(repeating: time)
        check(futimens(descriptor, times.baseAddress), "futimens")
      }
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
    _ = try self.synchronize(CacheLayout.parent(of: newPath))
  }

  /// Calls `fsync(2)`.
  public func synchronize(_ path: String) throws(FileSystemError) -> Bool {
    try synchronize(path, "fsync", flags: 0, fsync)
  }

  /// Calls `syncfs(2)`, which reports failures since Linux 5.8.
  public func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool {
    try synchronize(folder, "syncfs", flags: O_DIRECTORY, calotype_sync_file_system)
  }

  private func synchronize(
    _ path: String, _ operation: String, flags: Int32, _ call: (Int32) -> Int32
  ) throws(FileSystemError) -> Bool {
    // Not blocking: a pipe somebody put there must not hang us.
    let descriptor = retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) }
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return false }
      throw FileSystemError(operation: "open", path: path, code: errno)
    }
    defer { close(descriptor) }
    guard call(descriptor) == 0 else {
      throw FileSystemError(operation: operation, path: path, code: errno)
    }
    return true
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
      guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        // Files may vanish between the two calls. What is there and cannot be asked must not be left out.
        if errno == ENOENT { continue }
        throw FileSystemError(operation: "fstatat", path: "\(folder)/\(name)", code: errno)
      }
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
}
