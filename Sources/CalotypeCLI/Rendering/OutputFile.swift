import FoundationEssentials
import Glibc

/// Writes files atomically: to a temporary file beside them, which is then renamed over them.
enum OutputFile {
  /// - Parameters:
  ///   - data: The contents.
  ///   - path: The path of the file.
  ///   - isNamed: Whether the user named the file: ``OutputFileWriter/init(_:isNamed:mode:)``.
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``.
  static func write(_ data: Data, to path: String, isNamed: Bool) throws(CommandError) {
    let writer = try OutputFileWriter(path, isNamed: isNamed)
    try writer.write(data)
    try writer.commit()
  }

  /// Returns whether a regular file, not a link to one, has these contents.
  static func has(_ data: Data, at path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == data.count
    else { return false }
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    return data.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = read(descriptor, &piece, min(piece.count, rest.count))
        if count < 0, errno == EINTR { continue }
        guard count > 0, let base = rest.baseAddress, memcmp(base, piece, count) == 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }

  /// Creates a folder and its missing ancestors.
  static func makeFolder(_ path: String) throws(CommandError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .unwritableOutput(path: path, reason: "the folder cannot be made")
    }
  }

  /// The identity of a file, the same for all its paths.
  struct Identity: Hashable, Sendable {
    private let device: UInt64, inode: UInt64

    /// Returns `nil` if the path is not that of a regular file, or of a link to one.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether something other than a folder has the path.
  static func isOccupied(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }
}
