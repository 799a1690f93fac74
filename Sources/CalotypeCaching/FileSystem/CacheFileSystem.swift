public import FoundationEssentials

/// The few file operations a ``DiskCache`` needs. All of them block and run on the threads of the cache.
///
/// Conform to put a cache somewhere else, or to make files fail in tests. ``PosixFileSystem`` is the real one.
/// Paths are absolute. Symbolic links in the last component are never followed.
public protocol CacheFileSystem: Sendable {
  /// Reads a regular file as a whole.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: A longer file is not read: then ``FileContents/bytes`` is empty, and the status tells its length.
  ///   - mayWait: `false` when the caller must not be blocked by a device.
  /// - Returns: `nil` when there is none.
  /// - Throws: ``FileSystemError`` as ``open(_:)``; `EAGAIN` when it would have to wait and may not.
  func contents(of path: String, limit: Int, mayWait: Bool) throws(FileSystemError) -> FileContents?

  /// Opens a regular file for reading.
  ///
  /// - Returns: `nil` when there is none.
  /// - Throws: ``FileSystemError``; `ELOOP` for a symbolic link, `EINVAL` for anything else that is no regular file.
  func open(_ path: String) throws(FileSystemError) -> (any CacheFileReading)?

  /// Opens a file that several processes read, append to and lock; makes an empty one when there is none.
  func openShared(_ path: String) throws(FileSystemError) -> any CacheSharedFile

  /// Writes a file of `parts`, one after the other, readable by its owner only, in the place of what was there. On
  /// failure no file is left.
  ///
  /// - Parameters:
  ///   - path: The file to make.
  ///   - parts: Its contents, one behind the other.
  ///   - modified: The modification time the file gets.
  ///   - synchronize: Whether the bytes must be on the device when the call returns.
  func create(_ path: String, parts: [Data], modified: Date, synchronize: Bool) throws(FileSystemError)

  /// Renames a file, replacing what bears the new name, in one step that others see entirely or not at all.
  ///
  /// - Parameters:
  ///   - path: The present name.
  ///   - newPath: The new name, in the same file system.
  ///   - synchronize: Whether the new name must be on the device when the call returns.
  func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError)

  /// Waits until the contents of a file, or the names in a folder, are on the device: what a loss of power leaves.
  ///
  /// - Returns: `false` when there is neither.
  func synchronize(_ path: String) throws(FileSystemError) -> Bool

  /// Waits until everything that was written to the file system of a folder is on the device, in one go.
  ///
  /// - Returns: `false` when there is no such folder.
  func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool

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

  /// Asks whether a folder belongs to somebody whose files may be believed. No error when there is none.
  ///
  /// ``PosixFileSystem`` answers for the user of the process; by default every folder may be used.
  ///
  /// - Throws: ``FileSystemError/untrustedOwner(_:)``.
  func checkOwner(of folder: String) throws(FileSystemError)
}

extension CacheFileSystem {
  /// Finds nothing wrong.
  public func checkOwner(of folder: String) throws(FileSystemError) {}
}

/// A file that is open for reading; closes when it is released.
public protocol CacheFileReading: Sendable {
  /// What the file was when it was opened.
  var status: FileStatus { get }

  /// Fills `buffer` from `offset`; less of it at the end of the file.
  ///
  /// - Returns: How many bytes were read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int
}

extension CacheFileReading {
  /// Up to `count` bytes from `offset`; fewer at the end of the file.
  public func read(at offset: Int, count: Int) throws(FileSystemError) -> FileBytes {
    try FileBytes(capacity: count) { buffer throws(FileSystemError) in try read(at: offset, into: buffer) }
  }
}

/// A file that several processes have open: what one appends the others find.
public protocol CacheSharedFile: CacheFileReading {
  /// What the file is now.
  func currentStatus() throws(FileSystemError) -> FileStatus

  /// Writes behind the last byte.
  ///
  /// - Parameters:
  ///   - data: What to write.
  ///   - synchronize: Whether the bytes must be on the device when the call returns.
  func append(_ data: Data, synchronize: Bool) throws(FileSystemError)

  /// Writes from the beginning, over what is there. Not for a file that is also appended to.
  func overwrite(_ data: Data) throws(FileSystemError)

  /// Cuts the file off.
  func truncate(to length: Int) throws(FileSystemError)

  /// Takes the lock of the file, which one process at a time has, and loses when it dies.
  ///
  /// - Returns: `false` when somebody else has it. Never waits.
  func tryLock() throws(FileSystemError) -> Bool

  /// Gives the lock back.
  func unlock()
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
  /// Whether the file has a name still.
  public var isLinked: Bool

  /// Describes a file.
  public init(kind: Kind, size: Int, modified: Date, identity: UInt64, isLinked: Bool = true) {
    self.kind = kind
    self.size = size
    self.modified = modified
    self.identity = identity
    self.isLinked = isLinked
  }
}
