/// A maker of thumbnails during a decode by libwebp that keeps only the newest rows of its output in memory.
enum WebPShrinker {
  /// The smallest picture to stream, in bytes; smaller ones are decoded as a whole, into memory that is kept for the
  /// next one.
  private static let smallestPicture = 16 << 20

  /// Returns the average number of rows per piece of the bitstream. At the end of lossless pieces, up to 8 rows are
  /// read again.
  private static func rowsPerPiece(_ frame: WebPFrame) -> Int { frame.isLossless ? 192 : 96 }

  /// Returns the resampled picture; `nil` if it has to be decoded as a whole: because it is damaged, an animation that
  /// does not begin with a full canvas, or too small to save memory.
  static func image(
    of file: UnsafeRawBufferPointer, options: DecodeOptions, shrinker: RowShrinker,
    watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image? {
    try watch.check()
    let structure = try WebPStructure(file, limits: options.limits)
    let frame = structure.firstFrame
    let size = frame.size
    let bytesPerRow = 4 * size.width
    guard !options.keepsPartial, !structure.isTruncated, size == structure.canvas,
      bytesPerRow * size.height >= smallestPicture,
      let plans = try shrinker.plans(
        of: size, format: .rgba8, isOpaque: !frame.hasAlpha, profile: structure.profile(of: file)),
      let memory = RollingRows(byteCount: bytesPerRow * size.height)
    else { return nil }
    let pixels = UnsafeMutableRawBufferPointer(start: memory.base, count: memory.byteCount)
    let reader = try WebPFrameReader(
      frame, into: WebPFrameReader.Target(frame, onto: pixels, width: size.width),
      pace: .rows(rowsPerPiece(frame)))
    let rows = try RowSink(plans, at: UnsafePointer(memory.base.assumingMemoryBound(to: UInt8.self)))
    while !rows.isComplete, reader.nextCount <= file.count {
      let piece = UnsafeRawBufferPointer(rebasing: file[..<reader.nextCount])
      try reader.read(piece, isLast: reader.nextCount == frame.payload.upperBound, watch: watch)
      let end = reader.rows
      if frame.isLossless, !frame.hasAlpha {
        // All decoders follow the header, which declares alpha unused.
        let new = UnsafeMutableRawBufferPointer(
          rebasing: pixels[(rows.rows * bytesPerRow)..<(end * bytesPerRow)])
        WebPPixels.makeOpaque(new, width: size.width, rows: end - rows.rows, bytesPerRow: bytesPerRow)
      }
      rows.advance(by: end - rows.rows)
      // Some rows are left in place, in case libwebp has begun with the rows behind them.
      try memory.recycle(
        before: rows.firstNeededRow * bytesPerRow, written: min(memory.byteCount, (end + 32) * bytesPerRow))
    }
    guard reader.isComplete, let bitmap = shrinker.take(rows) else { return nil }
    return structure.image(bitmap, of: file, isPartial: false, options: options)
  }
}
