package import FoundationEssentials
import Glibc

/// The file operations that caches and loaders need.
///
/// All of them block; call them on threads that may wait for a device. ``POSIXFileSystem`` is the real file system; tests
/// inject others that fail, hang or lose power. Paths are absolute. A symbolic link in the last component is never followed.
package protocol FileSystem: Sendable {
  /// Reads a regular file as a whole.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: A longer file is not read: ``FileContents/bytes`` is then empty, and the status has its length.
  ///   - mayWait: `false` when the caller must not be blocked by a device.
  /// - Returns: `nil` when there is no such file.
  /// - Throws: ``FileSystemError`` as ``open(_:)``; `EAGAIN` when the call would block and must not.
  func contents(of path: String, limit: Int, mayWait: Bool) throws(FileSystemError) -> FileContents?

  /// Opens a regular file for reading.
  ///
  /// - Returns: `nil` when there is no such file.
  /// - Throws: ``FileSystemError``; `ELOOP` for a symbolic link, `EINVAL` for anything else that is no regular file.
  func open(_ path: String) throws(FileSystemError) -> (any FileReading)?

  /// Opens a file that several processes read, append to and lock; creates an empty one if there is none.
  func openShared(_ path: String) throws(FileSystemError) -> any SharedFile

  /// Creates a file from `parts`, readable by its owner only; replaces a file of that name. No file remains after a failure.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - parts: Its contents, in order.
  ///   - modified: The modification time of the file.
  ///   - synchronize: Whether the bytes must be on the device when the call returns.
  func create(_ path: String, parts: [Data], modified: Date, synchronize: Bool) throws(FileSystemError)

  /// Renames a file atomically, replacing a file of the new name.
  ///
  /// - Parameters:
  ///   - path: The present name.
  ///   - newPath: The new name, in the same file system.
  ///   - synchronize: Whether the new name must be on the device when the call returns.
  func rename(_ path: String, to newPath: String, synchronize: Bool) throws(FileSystemError)

  /// Gives a file a second name in the same file system.
  ///
  /// - Throws: ``FileSystemError``, as from file systems that have no second names; `EEXIST` when the name is taken. The
  ///   default implementation throws `ENOTSUP`.
  func link(_ path: String, to newPath: String) throws(FileSystemError)

  /// Waits until the contents of a file, or the names in a folder, are on the device and survive a loss of power.
  ///
  /// - Returns: `false` when there is no such file or folder.
  func synchronize(_ path: String) throws(FileSystemError) -> Bool

  /// Waits until everything that was written to the file system of a folder is on the device, in one call.
  ///
  /// - Returns: `false` when there is no such folder.
  func synchronizeAll(at folder: String) throws(FileSystemError) -> Bool

  /// Removes a file or a symbolic link.
  ///
  /// - Returns: `false` when there was none.
  func remove(_ path: String) throws(FileSystemError) -> Bool

  /// Sets the modification time of a file. Does nothing if the file has vanished.
  func touch(_ path: String, modified: Date) throws(FileSystemError)

  /// Returns the status of a file, or `nil` if there is none.
  func status(_ path: String) throws(FileSystemError) -> FileStatus?

  /// Calls `body` for every file in a folder, in no particular order, without `.` and `..`. A folder that does not exist is
  /// empty.
  func list(
    _ folder: String, _ body: (_ name: String, _ status: FileStatus) -> Void
  ) throws(FileSystemError)

  /// Creates a folder that only its owner may enter, and its parents. Does nothing if it exists.
  func makeFolder(_ path: String) throws(FileSystemError)

  /// Checks that a folder belongs to a trusted user. Does nothing if there is no such folder.
  ///
  /// ``POSIXFileSystem`` trusts the user of the process and root; the default implementation trusts every owner.
  ///
  /// - Throws: ``FileSystemError/untrustedOwner(_:)``.
  func checkOwner(of folder: String) throws(FileSystemError)

  /// Returns the size of the file system of a folder, and what of it the user of the process may still use.
  ///
  /// - Returns: `nil` when there is no such folder, or its file system does not tell. The default implementation returns
  ///   `nil`.
  func space(at folder: String) throws(FileSystemError) -> FileSystemSpace?
}

extension FileSystem {
  /// Trusts every owner.
  package func checkOwner(of folder: String) throws(FileSystemError) {}

  /// Has no second names.
  package func link(_ path: String, to newPath: String) throws(FileSystemError) {
    throw FileSystemError(operation: "link", path: newPath, code: ENOTSUP)
  }

  /// Tells nothing.
  package func space(at folder: String) throws(FileSystemError) -> FileSystemSpace? { nil }
}
