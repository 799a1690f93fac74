import FoundationEssentials
import Glibc

/// The bytes of a file that have arrived, in one growing piece of memory. One thread at a time.
///
/// Where arrays spend eighty nanoseconds to take one byte, this spends a few: input may come byte by byte.
final class AppendBuffer {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  /// Bytes that are there.
  private(set) var count = 0
  /// How many bytes there may be before ``appendQuietly(_:)`` has to be followed by a look at them.
  private var quietCount = 0

  deinit {
    free(base)
  }

  /// All bytes; valid until the next change.
  var all: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Lets bytes be appended quietly until there are `count` of them, at most `limit`.
  func wait(for count: Int, limit: Int) {
    quietCount = min(count - 1, limit)
  }

  /// Adds bytes that need no attention yet; returns false when they have to be added by ``append(_:limit:)``.
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

  /// Adds bytes at the end.
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
      // Twice as much each time, so that all moves together cost no more than one copy of all.
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
