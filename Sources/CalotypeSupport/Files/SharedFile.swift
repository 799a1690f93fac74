package import FoundationEssentials

/// A file that several processes read, append to and lock.
package protocol SharedFile: FileReading {
  /// Returns the present status.
  func currentStatus() throws(FileSystemError) -> FileStatus

  /// Writes behind the last byte.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - synchronize: Whether the bytes must be on the device when the call returns.
  func append(_ data: Data, synchronize: Bool) throws(FileSystemError)

  /// Overwrites the file from its beginning. Do not use it on a file that is also appended to.
  func overwrite(_ data: Data) throws(FileSystemError)

  /// Cuts the file off.
  func truncate(to length: Int) throws(FileSystemError)

  /// Takes the exclusive lock of the file without waiting. The lock ends with the process.
  ///
  /// - Returns: `false` when another process holds it.
  func tryLock() throws(FileSystemError) -> Bool

  /// Releases the lock.
  func unlock()
}
