import CalotypeLoading
import FoundationEssentials
import Glibc

/// An archive, open for reading. Its methods block: they are for the thread of a ``TarReader``.
final class TarFile: Sendable {
  /// Tells whether a file is the one that was indexed: another file, or other contents, have another version.
  struct Version: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    let size: Int
    let modified: [Int]
  }

  /// Where it really is.
  let path: String
  let version: Version
  /// Bytes at the time of opening.
  var size: Int { version.size }

  private let url: URL
  private let descriptor: Int32

  /// Opens a regular file inside one of `roots`.
  init(_ target: TarURL, roots: [String]) throws(LoadingError) {
    url = target.url
    let path = try Self.realPath(target.archive, target.url)
    try Self.check(path, isInside: roots, target.url)
    // Looked at first: opening alone can have an effect on a device.
    var status = stat()
    guard lstat(path, &status) == 0 else { throw Self.error(errno, target.url) }
    try Self.checkIsRegular(status, target.url)
    // O_NONBLOCK: had it become a FIFO since, opening would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
    guard descriptor >= 0 else { throw Self.error(errno, target.url) }
    do throws(LoadingError) {
      // A folder on the way may have been replaced by a link since: ask where what we opened is.
      self.path = try Self.realPath("/proc/self/fd/\(descriptor)", target.url)
      try Self.check(self.path, isInside: roots, target.url)
      version = try Self.version(of: descriptor, target.url)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// At most `count` bytes at `offset`; fewer only at the end of the file.
  func read(at offset: Int, count: Int) throws(LoadingError) -> Data {
    var data = Data(count: count)
    var filled = 0
    var failure: Int32 = 0
    data.withUnsafeMutableBytes { buffer in
      while filled < count {
        let got = pread(
          descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
        if got == 0 { return }
        if got > 0 {
          filled += got
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if failure != 0 { throw Self.error(failure, url) }
    return filled < count ? data.prefix(filled) : data
  }

  private static func version(of descriptor: Int32, _ url: URL) throws(LoadingError) -> Version {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw error(errno, url) }
    try checkIsRegular(status, url)
    let times = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
    return Version(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size), modified: times)
  }

  private static func checkIsRegular(_ status: stat, _ url: URL) throws(LoadingError) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .notRegularFile(url, kind: "in something that is no archive: a folder, FIFO, socket or device")
    }
  }

  private static func realPath(_ path: String, _ url: URL) throws(LoadingError) -> String {
    guard let resolved = realpath(path, nil) else { throw error(errno, url) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func check(_ path: String, isInside roots: [String], _ url: URL) throws(LoadingError) {
    for root in roots {
      // A root that does not exist holds no files.
      guard let resolved = realpath(root, nil) else { continue }
      defer { free(resolved) }
      var folder = String(cString: resolved)
      if !folder.hasSuffix("/") { folder += "/" }
      if path.utf8.starts(with: folder.utf8) { return }
    }
    throw .outsideRoots(url)
  }

  private static func error(_ code: Int32, _ url: URL) -> LoadingError {
    switch code {
    case ENOENT, ENOTDIR: .fileNotFound(url)
    case ENXIO: .notRegularFile(url, kind: "a socket")
    default: .fileUnreadable(url, reason: String(cString: strerror(code)))
    }
  }
}
