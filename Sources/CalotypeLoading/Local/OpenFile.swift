import CalotypeSupport
import FoundationEssentials
import Glibc

/// An open regular file.
final class OpenFile: Sendable {
  private let descriptor: FileDescriptor
  /// Bytes at the time of opening.
  let size: Int

  /// The size, or `nil` if it is 0: files of `/proc` and the like report 0 although they have contents.
  var declaredSize: Int? { size > 0 ? size : nil }

  /// Opens `path` for reading if it is a regular file, inside one of `roots` if there are any.
  init(path: String, url: URL, roots: [String]?) throws(LoadingError) {
    let target = roots == nil ? path : try Self.realPath(path, url)
    if let roots { try Self.check(target, isInside: roots, url) }
    // Checked first: opening a device can have side effects.
    var status = stat()
    guard stat(target, &status) == 0 else { throw Self.error(errno, url) }
    try Self.checkIsRegular(status, url)
    // O_NONBLOCK: had it become a FIFO since, open would wait for a writer.
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (roots == nil ? 0 : O_NOFOLLOW)
    let descriptor = open(target, flags)
    guard descriptor >= 0 else { throw Self.error(errno, url) }
    do throws(LoadingError) {
      guard fstat(descriptor, &status) == 0 else { throw Self.error(errno, url) }
      try Self.checkIsRegular(status, url)
      if let roots {
        // A parent folder may have been replaced by a link since: check the path of the open file.
        try Self.check(Self.realPath("/proc/self/fd/\(descriptor)", url), isInside: roots, url)
      }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = FileDescriptor(owning: descriptor)
    size = Int(status.st_size)
  }

  /// Reads at most `count` bytes at `offset`; fewer only at the end of the file.
  func read(at offset: Int, count: Int, _ url: URL) throws(LoadingError) -> Data {
    do {
      return try descriptor.read(at: offset, count: count)
    } catch {
      throw Self.error(error.code, url)
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
      var prefix = String(cString: resolved)
      if !prefix.hasSuffix("/") { prefix += "/" }
      if path.utf8.starts(with: prefix.utf8) { return }
    }
    throw .outsideRoots(url)
  }

  private static func checkIsRegular(_ status: stat, _ url: URL) throws(LoadingError) {
    let kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: ""
      case S_IFDIR: "a folder"
      case S_IFIFO: "a FIFO"
      case S_IFSOCK: "a socket"
      case S_IFCHR, S_IFBLK: "a device"
      default: "something else"
      }
    if !kind.isEmpty { throw .notRegularFile(url, kind: kind) }
  }

  private static func error(_ code: Int32, _ url: URL) -> LoadingError {
    switch code {
    case ENOENT, ENOTDIR: .fileNotFound(url)
    case ENXIO: .notRegularFile(url, kind: "a socket")
    default: .fileUnreadable(url, reason: String(cString: strerror(code)))
    }
  }
}
