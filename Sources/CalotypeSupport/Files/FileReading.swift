/// A file that is open for reading. It is closed when it is released.
package protocol FileReading: Sendable {
  /// The status at the time of opening.
  var status: FileStatus { get }

  /// Fills `buffer` with the bytes from `offset`.
  ///
  /// - Returns: The number of bytes; less than the length of `buffer` only at the end of the file.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int
}

extension FileReading {
  /// Reads up to `count` bytes from `offset`; fewer at the end of the file.
  package func read(at offset: Int, count: Int) throws(FileSystemError) -> FileBytes {
    try FileBytes(capacity: count) { buffer throws(FileSystemError) in try read(at: offset, into: buffer) }
  }
}
