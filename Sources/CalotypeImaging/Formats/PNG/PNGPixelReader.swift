import CDeflate
import Glibc

/// A reader of the pixels of a PNG image or an APNG frame whose input has ended.
///
/// Sound data of moderate size is inflated in one call of libdeflate: in place, behind the resulting pixels, or in at
/// most 4 MiB. All other data goes through a ``PNGRowStream``, which alone decides about damage.
struct PNGPixelReader {
  private let bytes: UnsafeRawBufferPointer
  private let structure: PNGStructure
  private let watch: DecodeLimits.DeadlineChecker

  /// Creates a reader of a file with a known structure. `bytes` is the whole file, or its available part.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure, watch: DecodeLimits.DeadlineChecker) {
    self.bytes = bytes
    self.structure = structure
    self.watch = watch
  }

  /// The extent of the decoded part of a picture.
  struct Outcome {
    /// The number of painted rows (of all passes, if interlaced).
    var rows = 0
    /// The error that ended the decode; `nil` if everything was read.
    var failure: ImagingError?
    /// A Boolean value that indicates whether the error is a wrong CRC, which libpng refuses, too, and which is only
    /// accepted for partial images.
    var hasWrongChecksum = false

    /// Returns the error to throw; `nil` if the pixels are delivered.
    func refusal(under options: DecodeOptions) -> ImagingError? {
      guard let failure else { return nil }
      let isAccepted = hasWrongChecksum ? options.keepsPartial : options.accepts(failure)
      return isAccepted ? nil : failure
    }

    /// The flaws of the pixels.
    var flaws: DamageReport { hasWrongChecksum ? [.partial, .damaged] : DamageReport(failure) }
  }

  /// Reads the default image onto a canvas of its size. With `clears`, missing pixels become transparent.
  func readImage(onto canvas: PixelCanvas, clears: Bool) throws(ImagingError) -> Outcome {
    let painter = { () throws(ImagingError) in
      try PNGRowPainter(bytes, structure, on: canvas, area: PixelRectangle(canvas.size))
    }
    let data = PNGImageData(bytes, structure)
    return try read(data, painter: painter, mayUseCanvas: true, prepare: { if clears { canvas.clear() } })
  }

  /// Reads a frame onto its rectangle of a canvas. With `blends`, it is composited over the canvas.
  func read(_ frame: PNGFrame, onto canvas: PixelCanvas, blends: Bool) throws(ImagingError) -> Outcome {
    let painter = { () throws(ImagingError) in
      try PNGRowPainter(bytes, structure, on: canvas, area: frame.area, blends: blends)
    }
    let data = PNGImageData(bytes, structure, frame)
    // The canvas is visible in place of missing rows.
    return try read(data, painter: painter, mayUseCanvas: false, prepare: {})
  }

  /// Returns the bytes behind the pixels of the default image that inflating in place takes; 0 if it is not possible.
  static func spare(for structure: PNGStructure, format: PixelFormat) throws(ImagingError) -> Int {
    guard !structure.header.isInterlaced else { return 0 }
    let inflated = try structure.header.inflatedBytes(PNGPass.all(of: structure.header))
    guard inflated <= PNGInflation.wholeLimit else { return 0 }
    // The rows lie at the end. They may extend beyond the pixels, and kernels read a little behind the last row.
    let spare = max(0, inflated - structure.header.size.pixelCount * format.bytesPerPixel) + 64
    return spare <= PNGInflation.spareLimit ? spare : 0
  }

  private func read(
    _ data: PNGImageData, painter make: () throws(ImagingError) -> PNGRowPainter, mayUseCanvas: Bool,
    prepare: () -> Void
  ) throws(ImagingError) -> Outcome {
    try watch.check()
    let painter = try make()
    if try readAtOnce(data, painter, mayUseCanvas: mayUseCanvas) { return Outcome(rows: painter.rows) }
    prepare()
    let stream = try PNGRowStream(try make())
    var failure: ImagingError?
    try data.forEach { (piece: PNGImageData.Piece) throws(ImagingError) in
      // Flaws behind the last row are ignored.
      if failure != nil || stream.failure != nil || stream.painter.isComplete { return false }
      try stream.feed(piece.bytes, watch: watch)
      if stream.failure == nil && piece.damage != nil { failure = piece.damage }
      return true
    }
    let hasWrongChecksum = if case .corrupt? = failure { true } else { false }
    failure = stream.failure ?? failure
    let rows = stream.painter.rows
    if failure == nil && !stream.painter.isComplete {
      failure =
        structure.isTruncated
        ? .truncated(.png, byteCount: bytes.count) : PNGRowStream.missingRows(after: rows)
    }
    return Outcome(rows: rows, failure: failure, hasWrongChecksum: hasWrongChecksum)
  }

  /// Reads sound data in one call; `false` if there is a flaw, or too much data. The canvas is then unchanged, unless
  /// it may hold filtered rows.
  private func readAtOnce(
    _ data: PNGImageData, _ painter: PNGRowPainter, mayUseCanvas: Bool
  ) throws(ImagingError) -> Bool {
    let inflated = painter.inflatedBytes
    // Data that is longer than its pixels was crafted to waste time.
    guard inflated <= PNGInflation.wholeLimit, let compressed = data.soundByteCount,
      compressed <= inflated + inflated / 8 + (64 << 10)
    else { return false }
    let buffer = painter.canvas.buffer
    let inPlace =
      mayUseCanvas && painter.fillsCanvas && buffer.count - 64 >= max(inflated, painter.canvas.byteCount)
    if inPlace {
      // Pixels never overtake the rows: a row and all before it need no more room than their pixels, and the rest of
      // the buffer holds the rows that follow.
      let start = buffer.count - 64 - inflated
      let rows = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + inflated])
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer[..<start])
      guard
        try data.withStream(
          byteCount: compressed, scratch: free,
          { stream throws(ImagingError) in
            try PNGInflater.inflate(stream, into: rows)
          })
      else { return false }
      return try paint(rows, painter)
    }
    guard inflated <= PNGInflation.spareLimit else { return false }
    let pool = PixelPool.shared
    guard let scratch = pool.take(byteCount: inflated + 64) else {
      throw .outOfMemory(byteCount: inflated + 64)
    }
    defer { pool.giveBack(scratch) }
    let rows = UnsafeMutableRawBufferPointer(rebasing: scratch[..<inflated])
    let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard
      try data.withStream(
        byteCount: compressed, scratch: none,
        { stream throws(ImagingError) in
          try PNGInflater.inflate(stream, into: rows)
        })
    else { return false }
    return try paint(rows, painter)
  }

  /// Paints complete rows, each after the next was unfiltered, so that pixels may overwrite them.
  private func paint(
    _ rows: UnsafeMutableRawBufferPointer, _ painter: PNGRowPainter
  ) throws(ImagingError) -> Bool {
    guard let base = rows.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    var offset = 0
    for pass in painter.passes {
      let length = painter.header.rowBytes(width: pass.size.width) + 1
      for _ in 0..<pass.size.height {
        if base[offset] > 4 { return false }
        offset += length
      }
    }
    offset = 0
    for pass in painter.passes {
      let bytes = painter.header.rowBytes(width: pass.size.width)
      let rowsBetweenChecks = max(1, (256 << 10) / (bytes + 1))
      var previous: UnsafeMutablePointer<UInt8>?
      for y in 0..<pass.size.height {
        if y % rowsBetweenChecks == 0 { try watch.check() }
        let row = base + offset
        try painter.unfilter(row, bytes: bytes, prior: previous.map { UnsafePointer($0) })
        if let previous { painter.paint(previous) }
        previous = row + 1
        offset += bytes + 1
      }
      if let previous { painter.paint(previous) }
    }
    return true
  }
}
