import CDeflate
import Glibc

/// A decoder that inflates image data in pieces of any size and paints every row as soon as it is complete.
///
/// Each byte is consumed once. Besides the canvas it needs two rows, or 128 KiB if that is more.
final class PNGRowStream {
  let painter: PNGRowPainter
  /// The error that ended the rows; `nil` while more may follow.
  private(set) var failure: ImagingError?

  private let stream: UnsafeMutablePointer<z_stream>
  private let pool = PixelPool.shared
  private let buffer: UnsafeMutableRawBufferPointer
  /// The capacity for inflated bytes, without the slack that row kernels need.
  private let limit: Int
  /// The first byte of the incomplete row, and the end of its inflated part.
  private var start = 0
  private var end = 0
  /// The length of the row above, if it lies right before `start`.
  private var priorBytes: Int?
  private var remaining: Int

  init(_ painter: PNGRowPainter) throws(ImagingError) {
    let rowLength = painter.header.rowBytes(width: painter.header.size.width) + 1
    let rows = max(2, min(painter.header.size.height + 1, (128 << 10) / rowLength))
    limit = rowLength * rows
    guard let buffer = pool.take(byteCount: limit + 64) else { throw .outOfMemory(byteCount: limit + 64) }
    self.buffer = buffer
    self.painter = painter
    remaining = painter.inflatedBytes
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard inflateInit2_(stream, 15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
      stream.deallocate()
      pool.giveBack(buffer)
      throw .outOfMemory(byteCount: MemoryLayout<z_stream>.size)
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    pool.giveBack(buffer)
  }

  /// Bytes of input between two checks of the deadline: data may inflate to nothing at all.
  private static let inputStep = 64 << 10

  /// Feeds the next piece of the zlib stream. Data behind the last row or a failure is ignored.
  ///
  /// - Throws: `cancelled`, `outOfMemory`, and `limitExceeded` for the time. Damage is recorded in ``failure``.
  func feed(_ piece: UnsafeRawBufferPointer, watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    var rest = piece
    while !rest.isEmpty, failure == nil, !painter.isComplete {
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.inputStep))
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: part.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = uInt(part.count)
      // zlib only reads from `next_in`.
      while try inflateMore(watch) {}
    }
  }

  /// Inflates once; `false` if the stream needs more input, or has ended.
  private func inflateMore(_ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bool {
    try watch.check()
    if end == limit { makeRoom() }
    let room = min(limit - end, remaining, 1 << 30)
    let base = buffer.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self)
    stream.pointee.next_out = base + end
    stream.pointee.avail_out = uInt(room)
    let status = inflate(stream, Z_NO_FLUSH)
    let made = room - Int(stream.pointee.avail_out)
    end += made
    remaining -= made
    do throws(ImagingError) {
      try paintRows(base)
    } catch {
      failure = error
      return false
    }
    // Flaws behind the last row are ignored.
    guard !painter.isComplete else { return false }
    switch status {
    case Z_OK: return stream.pointee.avail_in > 0 || made == room
    case Z_BUF_ERROR: return false
    case Z_MEM_ERROR: throw .outOfMemory(byteCount: 0)
    case Z_STREAM_END: failure = Self.missingRows(after: painter.rows)
    default:
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "it needs a dictionary"
      failure = .corrupt(.png, reason: "the compressed data: \(reason)", offset: nil)
    }
    return false
  }

  static func missingRows(after rows: Int) -> ImagingError {
    .corrupt(.png, reason: "the image data ends after \(rows) rows", offset: nil)
  }

  private func paintRows(_ base: UnsafeMutablePointer<UInt8>) throws(ImagingError) {
    while !painter.isComplete {
      let bytes = painter.rowBytes
      guard end - start > bytes else { return }
      let prior = priorBytes.map { UnsafePointer(base + start - $0) }
      try painter.unfilter(base + start, bytes: bytes, prior: prior)
      let pass = painter.pass
      painter.paint(base + start + 1)
      start += bytes + 1
      priorBytes = painter.pass == pass ? bytes : nil
    }
  }

  /// Moves the remaining bytes, including the row above, to the front.
  private func makeRoom() {
    let kept = start - (priorBytes ?? 0)
    let base = buffer.baseAddress.unsafelyUnwrapped
    memmove(base, base + kept, end - kept)
    start -= kept
    end -= kept
  }
}
