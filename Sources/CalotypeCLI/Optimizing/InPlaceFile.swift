import CalotypeSupport
import FoundationEssentials
import Glibc

/// A file that is replaced by other contents of its own, or not at all.
///
/// The contents are written to a temporary file in the same folder, which gets owner, permissions and extended attributes,
/// reaches the disk, and is then renamed over the file; the folder follows. A reader sees the old contents or the new ones, after
/// a crash as well. A temporary file is locked as long as its writer lives:
/// ``removeAbandoned(in:)`` removes those of writers that were killed.
final class InPlaceFile {
  private static let prefix = ".calotype-optimize-"
  private static let suffix = ".tmp"

  private let path: String
  private let status: stat
  private let attributes: FileAttributes
  let contents: Data

  /// Reads a file.
  ///
  /// - Throws: ``CommandError/untouchedFile(path:reason:)`` for a link, a file with several names, and anything that is no
  ///   regular file; ``CommandError/unwritableOutput(path:reason:)`` if it cannot be read.
  init(_ path: String, byteLimit: Int) throws(CommandError) {
    self.path = path
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ELOOP { throw .untouchedFile(path: path, reason: "it is a link") }
      throw .unwritableOutput(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unwritableOutput(path: path, reason: String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .untouchedFile(path: path, reason: "it is not a regular file")
    }
    // Its other names would keep the old contents.
    guard status.st_nlink == 1 else {
      throw .untouchedFile(path: path, reason: "it has \(status.st_nlink) names (hard links)")
    }
    guard status.st_size <= byteLimit else {
      throw .untouchedFile(path: path, reason: "it is larger than \(byteLimit) bytes")
    }
    var contents = Data(count: Int(status.st_size))
    var offset = 0
    while offset < contents.count {
      let count = contents.withUnsafeMutableBytes { bytes in
        read(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .untouchedFile(path: path, reason: "it changed while it was read") }
      offset += count
    }
    guard let attributes = FileAttributes(of: descriptor) else {
      throw .untouchedFile(path: path, reason: "its extended attributes cannot be read")
    }
    (self.status, self.attributes, self.contents) = (status, attributes, contents)
  }

  /// Replaces the contents.
  ///
  /// - Parameter keepsTime: Whether the file keeps its time of modification.
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``; the file is then as it was.
  func replace(by data: Data, keepsTime: Bool) throws(CommandError) {
    let folder = Self.folder(of: path)
    let temporary =
      "\(folder)/\(Self.prefix)\(String(UInt64.random(in: 0 ... .max), radix: 16))\(Self.suffix)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }
    do throws(CommandError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("lock") }
      try write(data, to: descriptor)
      try copyAttributes(to: descriptor, keepsTime: keepsTime)
      guard fsync(descriptor) == 0 else { throw failure("fsync") }
      try checkUnchanged()
      guard rename(temporary, path) == 0 else { throw failure("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw failure("open the folder") }
    defer { close(opened) }
    guard fsync(opened) == 0 else { throw failure("fsync the folder") }
  }

  private func write(_ data: Data, to descriptor: Int32) throws(CommandError) {
    let isWritten = data.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
    guard isWritten else { throw failure("write") }
  }

  /// Gives a new file the owner, the permissions and the attributes of the old one.
  private func copyAttributes(to descriptor: Int32, keepsTime: Bool) throws(CommandError) {
    var made = stat()
    guard fstat(descriptor, &made) == 0 else { throw failure("fstat") }
    if made.st_uid != status.st_uid || made.st_gid != status.st_gid {
      guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw failure("change the owner") }
    }
    guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw failure("change the permissions") }
    guard attributes.write(to: descriptor) else { throw failure("keep the extended attributes") }
    guard keepsTime else { return }
    var times = [status.st_atim, status.st_mtim]
    guard futimens(descriptor, &times) == 0 else { throw failure("change the time") }
  }

  /// - Throws: ``CommandError/untouchedFile(path:reason:)`` if another program changed the file meanwhile.
  private func checkUnchanged() throws(CommandError) {
    var now = stat()
    guard lstat(path, &now) == 0, now.st_dev == status.st_dev, now.st_ino == status.st_ino,
      now.st_size == status.st_size, now.st_nlink == 1,
      now.st_mtim.tv_sec == status.st_mtim.tv_sec, now.st_mtim.tv_nsec == status.st_mtim.tv_nsec,
      // Permissions, owner and attributes as well.
      now.st_ctim.tv_sec == status.st_ctim.tv_sec, now.st_ctim.tv_nsec == status.st_ctim.tv_nsec
    else { throw .untouchedFile(path: path, reason: "it was changed meanwhile") }
  }

  private func failure(_ step: String) -> CommandError {
    .unwritableOutput(path: path, reason: "\(step): \(String(cString: strerror(errno)))")
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the folder whose temporary files belong to a file.
  static func folders(of paths: [String]) -> Set<String> { Set(paths.map(folder)) }

  /// Returns true if a name is that of a temporary file.
  static func isTemporary(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
    return (1...16).contains(digits.count) && digits.allSatisfy(\.isHexDigit)
  }

  /// Removes the temporary files of writers that are no more. Returns their number.
  @discardableResult
  static func removeAbandoned(in folder: String) -> Int {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return 0 }
    var removed = 0
    for name in names where isTemporary(name) {
      let path = "\(folder)/\(name)"
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        flock(descriptor, LOCK_EX | LOCK_NB) == 0, unlink(path) == 0
      else { continue }
      removed += 1
    }
    return removed
  }
}
