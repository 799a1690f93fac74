package import FoundationEssentials

/// Bytes that were read from a file, in memory that was not cleared before.
// `@unchecked`: the memory is written before `init` returns and never after.
package final class FileBytes: @unchecked Sendable {
  /// Number of bytes.
  package let count: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// Allocates `capacity` bytes and lets `fill` write some of them.
  ///
  /// - Parameters:
  ///   - capacity: The most bytes that can be written.
  ///   - fill: Writes from the beginning and returns the number of bytes written.
  package init<Failure: Error>(
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
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
  }

  /// Returns the bytes from `offset` on without copying them.
  package func data(from offset: Int) -> Data {
    guard offset < count, let base = memory.baseAddress else { return Data() }
    return Data(
      bytesNoCopy: base + offset, count: count - offset,
      deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
  }
}
