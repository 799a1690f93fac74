import CLinux
package import FoundationEssentials
import Glibc

/// The file system of the machine.
///
/// Files and folders are used only if they belong to the user of the process, to root or to a trusted owner: another user
/// could have written anything to them.
package struct POSIXFileSystem: FileSystem {
  private let trustedOwners: Set<UInt32>

  /// Creates the file system as the user of this process sees it.
  ///
  /// - Parameter trustedOwners: User IDs whose files are used as well, such as the owner of a volume in a container.
  package init(trustedOwners: Set<UInt32> = []) {
    self.trustedOwners = trustedOwners
  }

  /// Calls `stat(2)`. It follows links, because the user chose the folder.
  package func checkOwner(of folder: String) throws(FileSystemError) {
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

  /// Reads a file by `open(2)`, `fstat(2)` and `pread(2)`. A call that must not wait reads from the page cache only
  /// (`RESOLVE_CACHED`, `RWF_NOWAIT`).
  package func contents(
    of path: String, limit: Int, mayWait: Bool
  ) throws(FileSystemError) -> FileContents? {
    let descriptor = POSIX.retrying {
      mayWait ? Glibc.open(path, Self.readFlags) : calotype_open_cached(path, Self.readFlags)
    }
    if descriptor < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      // The next attempt, which may wait, reports the real error.
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
        // Part of the file, or none of it, is in the page cache. A file system in memory, which cannot tell, has all of it.
        guard got < 0, errno == EOPNOTSUPP, calotype_is_in_memory(descriptor) != 0 else {
          throw FileSystemError(operation: "preadv2", path: path, code: EAGAIN)
        }
      }
      return try POSIXFile.read(descriptor, path, at: 0, into: buffer)
    }
    return FileContents(status: found, bytes: bytes)
  }

  /// Opens a regular file. It never waits for the other end of a pipe.
  package func open(_ path: String) throws(FileSystemError) -> (any FileReading)? {
    let descriptor = POSIX.retrying { Glibc.open(path, Self.readFlags) }
    if descriptor < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileSystemError(operation: "open", path: path, code: errno)
    }
    return try POSIXFile(descriptor: descriptor, path: path, of: self)
  }

  /// Opens a regular file for reading and appending. A new one gets mode 0600.
  package func openShared(_ path: String) throws(FileSystemError) -> any SharedFile {
    let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = POSIX.retrying { Glibc.open(path, flags, mode_t(0o600)) }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: path, code: errno) }
    return try POSIXFile(descriptor: descriptor, path: path, of: self)
  }

  // `O_NONBLOCK`: a pipe in the place of the file must not hang us.
  private static let readFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

  /// Writes a new file with mode 0600. It never reuses an existing one, which may be a pipe or have a second name.
  package func create(
    _ path: String, parts: [Data], modified: Date, synchronize: Bool
  ) throws(FileSystemError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    var descriptor = POSIX.retrying { Glibc.open(path, flags, mode_t(0o600)) }
    if descriptor < 0, errno == EEXIST {
      _ = try remove(path)
      descriptor = POSIX.retrying { Glibc.open(path, flags, mode_t(0o600)) }
    }
    guard descriptor >= 0 else { throw FileSystemError(operation: "open", path: path, code: errno) }
    var failure: FileSystemError?
    func check(_ status: Int32, _ operation: String) {
      if status != 0, failure == nil {
        failure = FileSystemError(operation: operation, path: path, code: errno)
      }
    }
    for part in parts where failure == nil {
      failure = part.withUnsafeBytes { POSIXFile.write($0, to: descriptor, path: path) }
    }
    if failure == nil {
      let time = timespec(modified)
      withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
        times.initialize(repeating: time)
        check(futimens(descriptor, times.baseAddress), "futimens")
      }
    }
    if failure == nil, synchronize { check(fsync(descriptor), "fsync") }
    // Network file systems report failed writes when the file is closed.
    check(close(descriptor), "close")
    if let failure {
      unlink(path)
      throw failure
    }
  }

  /// Renames a file with `rename(2)`.
  package func rename(
    _ path: String, to newPath: String, synchronize: Bool
  ) throws(FileSystemError) {
    guard Glibc.rename(path, newPath) == 0 else {
      throw FileSystemError(operation: "rename", path: newPath, code: errno)
    }
    guard synchronize else { return }
    _ = try self.synchronize(Self.parent(of: newPath))
  }

  /// Calls `link(2)`. A symbolic link is not followed.
  package func link(_ path: String, to newPath: String) throws(FileSystemError) {
    guard Glibc.link(path, newPath) == 0 else {
      throw FileSystemError(operation: "link", path: newPath, code: errno)
    }
  }

  /// Calls `fsync(2)`.
  package func synchronize(_ path: String) throws(FileSystemError) -> Bool {
    try synchronize(path, "fsync", flags: 0, fsync)
  }

  /// Calls `syncfs(2)`, which reports failures since Linux 5.8.
  package func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool {
    try synchronize(folder, "syncfs", flags: O_DIRECTORY, calotype_sync_file_system)
  }

  private func synchronize(
    _ path: String, _ operation: String, flags: Int32, _ call: (Int32) -> Int32
  ) throws(FileSystemError) -> Bool {
    // `O_NONBLOCK`: a pipe in the place of the file must not hang us.
    let descriptor = POSIX.retrying { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags) }
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

  /// Calls `unlink(2)`.
  package func remove(_ path: String) throws(FileSystemError) -> Bool {
    if unlink(path) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw FileSystemError(operation: "unlink", path: path, code: errno)
  }

  /// Sets the modification time and leaves the access time.
  package func touch(_ path: String, modified: Date) throws(FileSystemError) {
    let times = [timespec(tv_sec: 0, tv_nsec: Self.omit), timespec(modified)]
    guard utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT else {
      throw FileSystemError(operation: "utimensat", path: path, code: errno)
    }
  }

  /// Calls `lstat(2)`.
  package func status(_ path: String) throws(FileSystemError) -> FileStatus? {
    var status = stat()
    if lstat(path, &status) == 0 { return FileStatus(status) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw FileSystemError(operation: "lstat", path: path, code: errno)
  }

  /// Lists a folder that is not a symbolic link.
  package func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
    let descriptor = POSIX.retrying { Glibc.open(folder, flags) }
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
        // A file may vanish between the two calls. Any other failure must not hide a file.
        if errno == ENOENT { continue }
        throw FileSystemError(operation: "fstatat", path: "\(folder)/\(name)", code: errno)
      }
      body(name, FileStatus(status))
    }
  }

  /// Creates folders with mode 0700.
  package func makeFolder(_ path: String) throws(FileSystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw FileSystemError(operation: "mkdir", path: path, code: errno)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FileSystemError(operation: "mkdir", path: path, code: errno)
    }
  }

  /// Calls `statvfs(3)`. A file system that reports no blocks, as some in user space do, tells nothing.
  package func space(at folder: String) throws(FileSystemError) -> FileSystemSpace? {
    var status = statvfs()
    guard POSIX.retrying({ statvfs(folder, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR || errno == ENOSYS { return nil }
      throw FileSystemError(operation: "statvfs", path: folder, code: errno)
    }
    let unit = UInt64(status.f_frsize)
    guard unit > 0, status.f_blocks > 0 else { return nil }
    func bytes(_ blocks: UInt64) -> Int {
      let (bytes, isTooLarge) = blocks.multipliedReportingOverflow(by: unit)
      return isTooLarge ? .max : Int(clamping: bytes)
    }
    return FileSystemSpace(total: bytes(UInt64(status.f_blocks)), available: bytes(UInt64(status.f_bavail)))
  }

  /// The folder that holds `path`.
  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// `UTIME_OMIT`, whose macro Swift does not import.
  private static let omit = (1 << 30) - 2
}
