import CPixels

/// Memory for a picture that a decoder writes once, from top to bottom, into a buffer for all of it, and that is read
/// close behind: pages of rows that are no longer needed are reused for rows that follow.
final class RollingRows {
  /// Bytes of the whole picture.
  let byteCount: Int
  let base: UnsafeMutableRawPointer

  private let block = cpx_page_block
  private let move: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> cpx_move
  /// The beginning of the blocks of pages that were not moved yet, and the end of those that have memory.
  private var start = 0
  private var end = 0

  /// Returns `nil` if there is no address space of that size.
  ///
  /// - Parameter move: Moves a block; for tests of systems that cannot.
  init?(
    byteCount: Int,
    move: @escaping (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> cpx_move = {
      cpx_move_block($0, $1)
    }
  ) {
    self.move = move
    guard byteCount > 0, let base = cpx_reserve_pages(byteCount) else { return nil }
    self.byteCount = byteCount
    self.base = base
  }

  deinit {
    // Memory at the address of a lost block may belong to other code by now.
    if !isLost { cpx_release_pages(base, byteCount) }
  }

  private var isLost = false

  /// Announces that nothing before `needed` is read again, and nothing from `written` on has been written, both in
  /// bytes.
  ///
  /// If the system cannot move pages, this does nothing: the picture then takes all of its memory.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)`` if the system lacks even address space: the memory must not be
  ///   touched again.
  func recycle(before needed: Int, written: Int) throws(ImagingError) {
    var target = max(end, (written + block - 1) / block * block)
    while start + block <= min(needed, target), target + block <= byteCount {
      switch move(base + start, base + target) {
      case CPX_MOVED:
        start += block
        target += block
        end = target
      case CPX_NOT_MOVED:
        return
      default:
        isLost = true
        throw .outOfMemory(byteCount: block)
      }
    }
  }
}
