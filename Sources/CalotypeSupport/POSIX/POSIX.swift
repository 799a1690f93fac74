import Glibc

/// System calls that read and write whole buffers, repeated after signals (`EINTR`) and short transfers.
///
/// The only read and write loops of the project.
package enum POSIX {
  /// Repeats `call` while it fails with `EINTR`.
  ///
  /// - Returns: The last result. If it is negative, `errno` says why.
  package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Fills `buffer` from a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: An open file.
  ///   - offset: Where to start in the file (`pread`); `nil` reads at the current position (`read`).
  ///   - buffer: Receives the bytes.
  /// - Returns: The number of bytes; less than the length of `buffer` only at the end of the file.
  package static func read(
    _ descriptor: Int32, at offset: Int? = nil, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    var length = 0
    while length < buffer.count {
      let target = buffer.baseAddress.map { $0 + length }
      let count = retrying {
        if let offset {
          pread(descriptor, target, buffer.count - length, off_t(offset + length))
        } else {
          Glibc.read(descriptor, target, buffer.count - length)
        }
      }
      guard count >= 0 else { throw SystemError(errno) }
      if count == 0 { break }
      length += count
    }
    return length
  }

  /// Writes all of `bytes` to a descriptor.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to write.
  ///   - descriptor: An open file.
  ///   - offset: Where to start in the file (`pwrite`); `nil` writes at the current position, or appends (`write`).
  /// - Throws: ``SystemError``; `ENOSPC` when the system accepts no more bytes without an error.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil
  ) throws(SystemError) {
    var written = 0
    while written < bytes.count {
      let source = bytes.baseAddress.map { $0 + written }
      let count = retrying {
        if let offset {
          pwrite(descriptor, source, bytes.count - written, off_t(offset + written))
        } else {
          Glibc.write(descriptor, source, bytes.count - written)
        }
      }
      guard count > 0 else { throw SystemError(count == 0 ? ENOSPC : errno) }
      written += count
    }
  }
}
