import FoundationEssentials
import Glibc

/// The bytes of a file that have come so far, in one piece of memory that grows. One thread at a time.
final class ArrivedBytes {
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Bytes that are there.
  private(set) var count = 0

  deinit {
    free(memory.baseAddress)
  }

  /// All bytes; valid until the next ``append(_:limit:)``.
  var all: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<count])
  }

  /// Adds bytes at the end.
  ///
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` for more than `limit` bytes in all,
  ///   ``ImagingError/outOfMemory(byteCount:)``.
  func append(_ chunk: Data, limit: Int) throws(ImagingError) {
    let (sum, overflow) = count.addingReportingOverflow(chunk.count)
    guard !overflow, sum <= limit else {
      throw .limitExceeded(.bytes, value: overflow ? .max : sum, limit: limit)
    }
    guard !chunk.isEmpty else { return }
    if sum > memory.count {
      // Twice as much each time, so that all moves together cost no more than one copy of all.
      let capacity = max(sum, 2 * memory.count, 4096)
      guard let base = realloc(memory.baseAddress, capacity) else { throw .outOfMemory(byteCount: capacity) }
      memory = UnsafeMutableRawBufferPointer(start: base, count: capacity)
    }
    chunk.bytes.withUnsafeBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: memory[count..<sum]).copyMemory(from: bytes)
    }
    count = sum
  }
}
