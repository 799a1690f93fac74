import FoundationEssentials

/// A whole file, and what it was when it was opened.
public struct FileContents: Sendable {
  /// What the file was.
  public let status: FileStatus
  /// Its bytes: fewer than the status says when the file was longer than asked for, or shrank meanwhile.
  public let bytes: FileBytes

  /// Describes a file that was read.
  public init(status: FileStatus, bytes: FileBytes) {
    self.status = status
    self.bytes = bytes
  }
}

// `@unchecked`: the memory is written before `init` returns and never after.
/// Bytes that were read from a file, in memory of their own that nobody cleared before.
public final class FileBytes: @unchecked Sendable {
  /// Number of bytes.
  public let count: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// Makes room for `capacity` bytes and lets `fill` write some of them.
  ///
  /// - Parameters:
  ///   - capacity: Most bytes that can be written.
  ///   - fill: Writes from the beginning, and returns how many bytes.
  public init<Failure: Error>(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(0, capacity), alignment: 16)
    do throws(Failure) {
      count = min(max(0, try fill(memory)), memory.count)
    } catch {
      memory.deallocate()
      throw error
    }
    self.memory = memory
  }

  deinit { memory.deallocate() }

  /// Calls `body` with the bytes.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// The bytes from `offset` on, without a copy.
  func data(from offset: Int) -> Data {
    guard offset < count, let base = memory.baseAddress else { return Data() }
    return Data(
      bytesNoCopy: base + offset, count: count - offset,
      deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
  }
}
