import CLinux
import Glibc

/// A growable buffer for many bytes, in its own pages. It grows by remapping pages without copying them, and passes
/// them to the next buffer or the system when it is released.
///
/// The owner must ensure that one thread at a time uses it; after the last append, many threads may read.
// `@unchecked`: the owner ensures that no thread reads while bytes are appended.
package final class GrowableBuffer: @unchecked Sendable {
  /// Number of bytes.
  package private(set) var count = 0
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private let cache: PageCache
  private let fill: UInt8?

  /// Reserves address space for `capacity` bytes; pages are allocated on first write. `nil` when there is none.
  package convenience init?(capacity: Int, cache: PageCache = .shared) {
    self.init(capacity: capacity, cache: cache, fill: MemoryFill.byte)
  }

  /// `fill`: fills the space behind the last byte, as by ``MemoryFill``.
  init?(capacity: Int, cache: PageCache, fill: UInt8?) {
    self.cache = cache
    self.fill = fill
    guard capacity <= 1 << 56 else { return nil }
    let wanted = PageMemory.rounded(max(1, capacity))
    if fill == nil, let pages = cache.take(capacity: wanted) {
      (start, self.capacity) = pages
      // A failure is harmless here: it grows as bytes arrive.
      if pages.capacity < wanted { _ = resize(to: wanted) }
      return
    }
    guard let start = PageMemory.allocate(byteCount: wanted) else { return nil }
    (self.start, self.capacity) = (start, wanted)
    fillRoom()
  }

  deinit {
    cache.giveBack(start, capacity: capacity)
  }

  /// All bytes; valid until the next change.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// The address of the bytes; valid until the next change.
  package var baseAddress: UnsafeMutableRawPointer { start }

  /// Appends bytes. Returns `false`, without any effect, when the system has no memory left.
  ///
  /// - Complexity: O(bytes added), amortised.
  package func append(_ added: UnsafeRawBufferPointer) -> Bool {
    let (needed, overflow) = count.addingReportingOverflow(added.count)
    guard !overflow, needed <= capacity || resize(to: max(needed, 2 * capacity)) else { return false }
    if let source = added.baseAddress { (start + count).copyMemory(from: source, byteCount: added.count) }
    count = needed
    return true
  }

  /// Frees the pages behind the last byte.
  package func shrinkToFit() {
    _ = resize(to: max(1, count))
  }

  private func resize(to wanted: Int) -> Bool {
    let length = PageMemory.rounded(wanted)
    guard length != capacity else { return true }
    guard let moved = calotype_resize_mapping(start, capacity, length) else { return false }
    (start, capacity) = (moved, length)
    fillRoom()
    return true
  }

  private func fillRoom() {
    if let fill { memset(start + count, Int32(fill), capacity - count) }
  }
}
