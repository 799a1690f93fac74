public import FoundationEssentials

/// The few file operations a ``DiskCache`` needs. All of them block and run on the threads of the cache.
///
/// Conform to put a cache somewhere else, or to make files fail in tests. ``PosixFileSystem`` is the real one.
/// Paths are absolute. Symbolic links in the last component are never followed.
public protocol CacheFileSystem: Sendable {
  /// Opens a regular file for reading.
  ///
  /// - Returns: `nil` when there is none.
  /// - Throws: ``FileSystemError``; `ELOOP` for a symbolic link, `EINVAL` for anything else that is no regular file.
  func open(_ path: String) throws(FileSystemError) -> (any CacheFileReading)?

  /// Writes a new file of `parts`, one after the other, readable by its owner only. On failure no file is left.
  ///
  /// - Parameters:
  ///   - path: The file to make.
  ///   - parts: Its contents, one behind the other.
  ///   - modified: The modification time the file gets.
  ///   - synchronize: Whether the bytes must be on the device when the call returns.
  /// - Throws: ``FileSystemError``; `EEXIST` when the file exists already.
  func create(_ path: String, parts: [Data], modified: Date, synchronize: Bool) throws(FileSystemError)

  /// Renames a file, replacing what bears the new name, in one step that others see entirely or not at all.
  ///
  /// - Parameters:
  ///   - path: The present name.
  ///   - newPath: The new name, in the same file system.
  ///   - synchronize: Whether the new name must be on the device when the call returns.
  func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError)

  /// Removes a file or a symbolic link.
  ///
  /// - Returns: `false` when there was none.
  func remove(_ path: String) throws(FileSystemError) -> Bool

  /// Sets the modification time of a file. No error when it has vanished.
  func touch(_ path: String, modified: Date) throws(FileSystemError)

  /// What bears a name, or `nil`.
  func status(_ path: String) throws(FileSystemError) -> FileStatus?

  /// Calls `body` for every file in a folder, in no order, without `.` and `..`; for none when there is no folder.
  func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError)

  /// Makes a folder that only its owner may enter, and those above it. No error when it exists.
  func makeFolder(_ path: String) throws(FileSystemError)
}

/// A file that is open for reading; closes when it is released.
public protocol CacheFileReading: Sendable {
  /// What the file was when it was opened.
  var status: FileStatus { get }

  /// Reads up to `count` bytes from `offset`; fewer at the end of the file.
  func read(at offset: Int, count: Int) throws(FileSystemError) -> Data
}

/// What a file is.
public struct FileStatus: Hashable, Sendable {
  /// Kinds that the cache tells apart.
  public enum Kind: Hashable, Sendable {
    /// A file with bytes.
    case regular
    /// A folder.
    case folder
    /// A link, device, pipe or socket.
    case other
  }

  /// The kind.
  public var kind: Kind
  /// Length in bytes.
  public var size: Int
  /// When it was last modified.
  public var modified: Date
  /// A number that no other file of the same file system has while this one exists.
  public var identity: UInt64

  /// Describes a file.
  public init(kind: Kind, size: Int, modified: Date, identity: UInt64) {
    self.kind = kind
    self.size = size
    self.modified = modified
    self.identity = identity
  }
}
