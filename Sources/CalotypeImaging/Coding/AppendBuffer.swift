import FoundationEssentials
import Glibc

/// A growing buffer of the bytes of a file that have arrived. It is used by one thread at a time.
///
/// An array spends eighty nanoseconds to append one byte, this buffer a few: input may come byte by byte.
final class AppendBuffer {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// The number of bytes in the buffer.
  private(set) var count = 0
  /// The number of bytes that ``appendQuietly(_:)`` may reach before the decoder has to examine them.
  private var quietCount = 0

  deinit {
    free(base)
  }

  /// All bytes; valid until the next change.
  var all: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Lets ``appendQuietly(_:)`` accept bytes up to `count` in all, at most `limit`.
  func wait(for count: Int, limit: Int) {
    quietCount = min(count - 1, limit)
  }

  /// Appends bytes that need no examination yet; returns false if ``append(_:limit:)`` has to append them.
  @inline(__always)
  func appendQuietly(_ chunk: Data) -> Bool {
    let added = chunk.count
    guard added <= min(quietCount, capacity) &- count, let base else { return false }
    let target = base + count
    if added == 1 {
      target.storeBytes(of: chunk[chunk.startIndex], as: UInt8.self)
    } else {
      chunk.withUnsafeBytes { source in
        if let start = source.baseAddress { target.copyMemory(from: start, byteCount: added) }
      }
    }
    count &+= added
    return true
  }

  /// Appends bytes at the end.
  ///
  /// - Throws: ``ImagingError/limitExceeded(_:value:limit:)`` for more than `limit` bytes in all,
  ///   ``ImagingError/outOfMemory(byteCount:)``.
  func append(_ chunk: Data, limit: Int) throws(ImagingError) {
    let added = chunk.count
    let (sum, overflow) = count.addingReportingOverflow(added)
    guard !overflow, sum <= limit else {
      throw .limitExceeded(.bytes, value: overflow ? .max : sum, limit: limit)
    }
    guard added > 0 else { return }
    if sum > capacity {
      // Doubling keeps the cost of all moves together below one copy of the buffer.
      let larger = max(sum, 2 * capacity, 4096)
      guard let moved = realloc(base, larger) else { throw .outOfMemory(byteCount: larger) }
      base = moved
      capacity = larger
    }
    let start = count
    chunk.withUnsafeBytes { bytes in
      if let source = bytes.baseAddress, let base {
        (base + start).copyMemory(from: source, byteCount: added)
      }
    }
    count = sum
  }
}
