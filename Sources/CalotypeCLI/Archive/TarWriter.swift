import CalotypeSupport
import FoundationEssentials

/// Writes a tar archive (POSIX ustar), to a file or to standard output.
struct TarWriter {
  private let output: OutputFileWriter?
  private let worker = WorkerExecutor(name: "calotype-tar", threads: 1)
  private var count = 0

  /// - Parameter path: A file, or `-` for standard output.
  /// - Throws: ``CommandError/unwritableOutput(path:reason:)``.
  init(_ path: String) async throws {
    // Opening a pipe waits for its reader.
    output = try await worker.run {
      path == StandardOutput.name ? nil : try OutputFileWriter(path, isNamed: true, mode: 0o600)
    }
  }

  /// Begins an entry, whose contents follow.
  mutating func begin(_ header: TarHeader) async throws { try await write(header.encoded) }

  mutating func write(_ data: Data) async throws {
    count += data.count
    let output = output
    try await worker.run {
      if let output { try output.write(data) } else { try StandardOutput.write(data) }
    }
  }

  /// Fills the last block of an entry.
  mutating func pad() async throws { try await fill(to: TarHeader.byteCount) }

  /// Writes the end mark, and gives the file its name.
  mutating func end() async throws {
    try await write(Data(count: 2 * TarHeader.byteCount))
    // Programs write 20 blocks at a time.
    try await fill(to: 20 * TarHeader.byteCount)
    let output = output
    try await worker.run { try output?.commit() }
  }

  private mutating func fill(to length: Int) async throws {
    let excess = count % length
    if excess > 0 { try await write(Data(count: length - excess)) }
  }
}
