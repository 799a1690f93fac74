import Glibc

/// Memory in whole pages, straight from the system: for large buffers.
///
/// Malloc keeps what is freed in its arenas, of which every thread may have one; pages are gone as soon as they are freed.
package enum PageMemory {
  /// Bytes from which on a buffer is better off in pages of its own.
  package static let threshold = 256 << 10

  private static let pageSize = max(4096, sysconf(Int32(_SC_PAGESIZE)))
  private static let hugePage = 2 << 20

  /// The bytes of so many whole pages.
  package static func rounded(_ byteCount: Int) -> Int {
    (byteCount + pageSize - 1) & ~(pageSize - 1)
  }

  /// Zeroed pages for at least one byte; `nil` when the system has none left.
  ///
  /// With `prefersHugePages`, memory of several huge pages starts at one, so that the kernel can back it with few, large
  /// pages: touching them for the first time then costs a fraction.
  package static func allocate(byteCount: Int, prefersHugePages: Bool = false) -> UnsafeMutableRawPointer? {
    let length = rounded(byteCount)
    guard prefersHugePages, length >= 2 * hugePage else { return map(length) }
    // More than is needed, of which both ends go back.
    guard let start = map(length + hugePage) else { return nil }
    let offset = (hugePage - Int(bitPattern: start) & (hugePage - 1)) & (hugePage - 1)
    let aligned = start + offset
    if offset > 0 { munmap(start, offset) }
    if offset < hugePage { munmap(aligned + length, hugePage - offset) }
    madvise(aligned, length, MADV_HUGEPAGE)
    return aligned
  }

  /// Gives back what ``allocate(byteCount:prefersHugePages:)`` returned for so many bytes.
  package static func deallocate(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    munmap(start, rounded(byteCount))
  }

  private static func map(_ length: Int) -> UnsafeMutableRawPointer? {
    let start = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return start == MAP_FAILED ? nil : start
  }
}
