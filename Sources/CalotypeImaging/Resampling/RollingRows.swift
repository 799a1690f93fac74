import CPixels

/// Memory for a picture that is written once, from top to bottom, by a decoder that insists on a buffer for all of it,
/// and read close behind: pages whose rows are not needed any more are put to use for rows that are still to come.
final class RollingRows {
  /// Bytes of the whole picture.
  let byteCount: Int
  let base: UnsafeMutableRawPointer

  private let block = cpx_page_block
  private let move: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> cpx_move
  /// Where the blocks of pages begin that were not moved yet, and where those end that have memory.
  private var start = 0
  private var end = 0

  /// `nil` when there is no address space of that size.
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

  /// Says that nothing before `needed` is read again, and nothing from `written` on has been written, both in bytes.
  ///
  /// Where the system cannot move pages, this does nothing: the picture then takes all of its memory.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)`` when the system has not even address space: the memory must not
  ///   be touched again.
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
