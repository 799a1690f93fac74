import CDeflate
import Glibc

/// Reads the pixels of a PNG image or an APNG frame whose bytes are all there.
///
/// Sound data of moderate size is inflated at once, by libdeflate: behind the pixels it becomes, or in at most 4 MiB.
/// Everything else goes through a ``PNGRowStream``, whose verdict on damage is the one that counts.
struct PNGPixelReader {
  private let bytes: UnsafeRawBufferPointer
  private let structure: PNGStructure
  private let watch: DecodeLimits.DeadlineChecker

  /// Creates a reader of a file whose structure is known. `bytes` is the whole file, or as much as is there.
  init(_ bytes: UnsafeRawBufferPointer, _ structure: PNGStructure, watch: DecodeLimits.DeadlineChecker) {
    self.bytes = bytes
    self.structure = structure
    self.watch = watch
  }

  /// How much of a picture was read.
  struct Outcome {
    /// Rows (of all passes, when interlaced) that were painted.
    var rows = 0
    /// Why it was not all; `nil` when everything was read.
    var failure: ImagingError?
    /// Whether that is a wrong CRC, which libpng refuses, too, and which only partial images are allowed to have.
    var hasWrongChecksum = false

    /// The error to be thrown; `nil` where the pixels are delivered.
    func refusal(under options: DecodeOptions) -> ImagingError? {
      guard let failure else { return nil }
      let isAccepted = hasWrongChecksum ? options.keepsPartial : options.accepts(failure)
      return isAccepted ? nil : failure
    }

    /// What the pixels lack.
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

  /// Reads a frame onto its place of a canvas. With `blends`, over what is there.
  func read(_ frame: PNGFrame, onto canvas: PixelCanvas, blends: Bool) throws(ImagingError) -> Outcome {
    let painter = { () throws(ImagingError) in
      try PNGRowPainter(bytes, structure, on: canvas, area: frame.area, blends: blends)
    }
    let data = PNGImageData(bytes, structure, frame)
    // What is there shows where rows are missing.
    return try read(data, painter: painter, mayUseCanvas: false, prepare: {})
  }

  /// Bytes behind the pixels of the default image that let it be inflated in place; 0 when that is not possible.
  static func spare(for structure: PNGStructure, format: PixelFormat) throws(ImagingError) -> Int {
    guard !structure.header.isInterlaced else { return 0 }
    let inflated = try structure.header.inflatedBytes(PNGPass.all(of: structure.header))
    guard inflated <= PNGInflation.wholeLimit else { return 0 }
    // The rows lie at the end. They may stick out, and kernels look a little behind the last.
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
      // What is wrong behind the last row does not matter.
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

  /// Reads sound data at once; `false` when there is a flaw, or too much. The canvas is as before then, unless it may be
  /// used for rows that are not unfiltered yet.
  private func readAtOnce(
    _ data: PNGImageData, _ painter: PNGRowPainter, mayUseCanvas: Bool
  ) throws(ImagingError) -> Bool {
    let inflated = painter.inflatedBytes
    // Data that is longer than what becomes of it was made to keep somebody busy.
    guard inflated <= PNGInflation.wholeLimit, let compressed = data.soundByteCount,
      compressed <= inflated + inflated / 8 + (64 << 10)
    else { return false }
    let buffer = painter.canvas.buffer
    let inPlace =
      mayUseCanvas && painter.fillsCanvas && buffer.count - 64 >= max(inflated, painter.canvas.byteCount)
    if inPlace {
      // Pixels never overtake the rows: a row and all before it need no more room than their pixels, and what
      // remains at the end is the rows that are still to come.
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

  /// Paints rows that are all there, each after the next was unfiltered, so that pixels may overwrite them.
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
