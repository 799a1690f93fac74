import CISAL
import Glibc

/// A decoder that inflates the image data of a PNG and passes its rows to a ``RowSink``: besides its rows it takes a
/// few hundred kilobytes for a picture of any height.
///
/// It handles pictures that are not interlaced and have no flaw; ``PNGPixelReader`` handles all others. ISA-L is more
/// lenient than zlib in one point: it accepts distance codes that leave bits unused.
final class PNGShrinker {
  private let expander: PNGExpander
  private let rows: RowSink
  private let state: UnsafeMutablePointer<inflate_state>
  private let pool = PixelPool.shared
  private let buffer: UnsafeMutableRawBufferPointer
  private let rowLength: Int
  /// The capacity for inflated bytes, without the slack that row kernels need.
  private let limit: Int
  /// The first byte of the incomplete row, and the end of the inflated bytes.
  private var start = 0
  private var end = 0
  private var header: [UInt8] = []

  init(_ expander: PNGExpander, rows: RowSink) throws(ImagingError) {
    rowLength = expander.header.rowBytes(width: expander.header.size.width) + 1
    // One row more, because the row above stays.
    let count = max(2, min(expander.header.size.height + 1, (256 << 10) / rowLength))
    limit = rowLength * count
    guard let buffer = pool.take(byteCount: limit + 64) else { throw .outOfMemory(byteCount: limit + 64) }
    self.buffer = buffer
    self.expander = expander
    self.rows = rows
    state = .allocate(capacity: 1)
    isal_inflate_init(state)
    // The checksum of the stream is skipped: that of the chunk covers the same bytes.
    state.pointee.crc_flag = UInt32(ISAL_DEFLATE)
  }

  deinit {
    state.deallocate()
    pool.giveBack(buffer)
  }

  /// Reads all image data; `false` as soon as there is a flaw.
  ///
  /// - Throws: `cancelled`, and `limitExceeded` for the time.
  func read(_ data: PNGImageData, watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bool {
    var isSound = true
    try data.forEach { (piece: PNGImageData.Piece) throws(ImagingError) in
      isSound = piece.damage == nil
      if isSound { isSound = try feed(piece.bytes, watch) }
      return isSound && !rows.isComplete
    }
    return isSound && rows.isComplete
  }

  private func feed(
    _ piece: UnsafeRawBufferPointer, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    var rest = piece
    while header.count < 2, let byte = rest.first {
      header.append(byte)
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
      if header.count == 2, !isHeaderSound { return false }
    }
    while !rest.isEmpty, !rows.isComplete {
      // Data may inflate to nothing at all: the deadline is checked now and then.
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(64 << 10))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
      // ISA-L only reads from `next_in`.
      state.pointee.next_in = UnsafeMutablePointer(
        mutating: part.baseAddress?.assumingMemoryBound(to: UInt8.self))
      state.pointee.avail_in = UInt32(part.count)
      var isHungry = false
      while !isHungry, !rows.isComplete {
        try watch.check()
        guard let isFull = inflateMore() else { return false }
        isHungry = !isFull
      }
    }
    return true
  }

  /// A Boolean value that indicates whether the zlib header is valid (RFC 1950): deflate with a window of at most 32
  /// KiB, no dictionary.
  private var isHeaderSound: Bool {
    header[0] & 15 == 8 && header[0] >> 4 <= 7 && header[1] & 32 == 0
      && (Int(header[0]) << 8 + Int(header[1])) % 31 == 0
  }

  /// Inflates once and passes on complete rows. Returns true if there may be more without more input; `nil` for a flaw.
  private func inflateMore() -> Bool? {
    if end == limit { makeRoom() }
    let room = min(limit - end, 1 << 30)
    let base = buffer.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    state.pointee.next_out = base + end
    state.pointee.avail_out = UInt32(room)
    guard isal_inflate(state) == ISAL_DECOMP_OK else { return nil }
    let made = room - Int(state.pointee.avail_out)
    end += made
    while end - start >= rowLength, !rows.isComplete {
      let prior = rows.rows > 0 ? UnsafePointer(base + start - rowLength + 1) : nil
      do throws(ImagingError) {
        try expander.unfilter(base + start, bytes: rowLength - 1, prior: prior, row: rows.rows)
      } catch {
        return nil
      }
      guard let target = rows.room.start else { return nil }
      expander.expand(base + start + 1, to: target, count: rows.source.width)
      rows.advance(by: 1)
      start += rowLength
    }
    if rows.isComplete { return false }
    if state.pointee.block_state == ISAL_BLOCK_FINISH { return nil }
    return made == room
  }

  /// Moves the remaining bytes, including the row above, to the front.
  private func makeRoom() {
    let kept = max(0, start - rowLength)
    let base = buffer.baseAddress.unsafelyUnwrapped
    memmove(base, base + kept, end - kept)
    start -= kept
    end -= kept
  }
}
