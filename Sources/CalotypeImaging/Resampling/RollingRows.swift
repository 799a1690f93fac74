import CPixels

/// Memory for a picture that is written once, from top to bottom, by a decoder that insists on a buffer for all of it,
/// and read close behind: pages whose rows nobody needs any more are put to use for rows that are still to come.
final class RollingRows {
  /// Bytes of the whole picture.
  let byteCount: Int
  let base: UnsafeMutableRawPointer

  private let block = cpx_page_block
  /// Where the blocks of pages begin that were not moved yet, and where those end that have memory.
  private var start = 0
  private var end = 0

  /// `nil` when there is no address space of that size.
  init?(byteCount: Int) {
    guard byteCount > 0, let base = cpx_reserve_pages(byteCount) else { return nil }
    self.byteCount = byteCount
    self.base = base
  }

  deinit {
    cpx_release_pages(base, byteCount)
  }

  /// Says that nothing before `needed` is read again, and nothing from `written` on has been written, both in bytes.
  ///
  /// Where the system cannot move pages, this does nothing: the picture then takes all of its memory.
  func recycle(before needed: Int, written: Int) {
    let target = max(end, (written + block - 1) / block * block)
    let count = min(needed / block * block - start, (byteCount - target) / block * block)
    guard count > 0, target >= start + count,
      cpx_move_pages(base + start, base + target, count) != 0
    else { return }
    start += count
    end = target + count
  }
}
