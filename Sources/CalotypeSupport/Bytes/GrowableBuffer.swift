import CLinux
import Glibc

/// Many bytes that come bit by bit: in pages of their own, which move without being copied when there are more, and which
/// the next buffer or the system gets when this one is released.
///
/// For one thread at a time, which is up to the owner; once nothing is added any more, for many.
// `@unchecked`: the owner sees to it that nobody reads while bytes are added.
package final class GrowableBuffer: @unchecked Sendable {
  /// Number of bytes.
  package private(set) var count = 0
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private let cache: PageCache
  private let fill: UInt8?

  /// Takes address space for so many bytes; pages are taken when they are written. `nil` when there is none.
  package convenience init?(capacity: Int, cache: PageCache = .shared) {
    self.init(capacity: capacity, cache: cache, fill: MemoryFill.byte)
  }

  /// `fill`: the byte that room behind the last byte is full of, as by ``MemoryFill``.
  init?(capacity: Int, cache: PageCache, fill: UInt8?) {
    self.cache = cache
    self.fill = fill
    guard capacity <= 1 << 56 else { return nil }
    let wanted = PageMemory.rounded(max(1, capacity))
    if fill == nil, let pages = cache.take(capacity: wanted) {
      (start, self.capacity) = pages
      // As far as there is memory: it is needed as bytes come.
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

  /// Where the bytes are; valid until the next change.
  package var baseAddress: UnsafeMutableRawPointer { start }

  /// Adds bytes at the end; false, without any effect, when the system has no memory left.
  ///
  /// - Complexity: O(bytes added), amortised.
  package func append(_ added: UnsafeRawBufferPointer) -> Bool {
    let (needed, overflow) = count.addingReportingOverflow(added.count)
    guard !overflow, needed <= capacity || resize(to: max(needed, 2 * capacity)) else { return false }
    if let source = added.baseAddress { (start + count).copyMemory(from: source, byteCount: added.count) }
    count = needed
    return true
  }

  /// Gives back the pages behind the last byte.
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
