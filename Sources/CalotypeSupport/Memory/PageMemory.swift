import Glibc

/// Allocates large buffers as whole pages, directly from the system.
///
/// malloc keeps freed memory in its arenas, of which every thread may have one; pages return to the system as soon as
/// they are freed.
package enum PageMemory {
  /// The size in bytes from which a buffer should have its own pages.
  package static let threshold = 256 << 10

  private static let pageSize = max(4096, sysconf(Int32(_SC_PAGESIZE)))
  private static let hugePage = 2 << 20

  /// Rounds a size up to whole pages.
  package static func rounded(_ byteCount: Int) -> Int {
    (byteCount + pageSize - 1) & ~(pageSize - 1)
  }

  /// Allocates zeroed pages for at least one byte; returns `nil` when the system has none left.
  ///
  /// With `prefersHugePages`, memory of several huge pages is aligned to one, so that the kernel can back it with huge
  /// pages: touching them for the first time then costs a fraction.
  package static func allocate(byteCount: Int, prefersHugePages: Bool = false) -> UnsafeMutableRawPointer? {
    let length = rounded(byteCount)
    guard prefersHugePages, length >= 2 * hugePage else { return map(length) }
    // Allocate more than needed, and return both ends.
    guard let start = map(length + hugePage) else { return nil }
    let offset = (hugePage - Int(bitPattern: start) & (hugePage - 1)) & (hugePage - 1)
    let aligned = start + offset
    if offset > 0 { munmap(start, offset) }
    if offset < hugePage { munmap(aligned + length, hugePage - offset) }
    madvise(aligned, length, MADV_HUGEPAGE)
    return aligned
  }

  /// Frees memory from ``allocate(byteCount:prefersHugePages:)`` of the same size.
  package static func deallocate(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    munmap(start, rounded(byteCount))
  }

  private static func map(_ length: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return start == MAP_FAILED ? nil : start
  }
}
