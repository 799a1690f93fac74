import Glibc

/// The files of the system. Blocks the calling thread.
public struct SystemFiles: FileReading {
  /// Makes a reader.
  public init() {}

  /// Reads a file. A pipe in its place does not block.
  public func read(_ path: String, limit: Int) throws(FileReadingError) -> SettingsFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .system(errno: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(errno: errno) }
      if count == 0 { break }
      guard bytes.count + count <= limit else { throw .tooLong(limit: limit) }
      bytes += buffer.prefix(count)
    }
    return SettingsFile(bytes: bytes, mode: status.st_mode & 0o7777)
  }
}
