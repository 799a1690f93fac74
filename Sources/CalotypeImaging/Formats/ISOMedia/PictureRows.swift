/// A picture whose rows are converted to pixels, from the first to the last.
protocol PictureRows {
  /// The size that is delivered.
  var size: PixelSize { get }
  /// The format of the pixels, with 8 or 16 bits per sample.
  var format: PixelFormat { get }
  /// A Boolean value that indicates whether there is no alpha.
  var isOpaque: Bool { get }
  /// A Boolean value that indicates whether there is neither chroma nor alpha.
  var isGray: Bool { get }
  /// The colours of the pixels.
  var profile: ColorProfile? { get }

  /// Converts rows. `target` has room for them.
  func convert(rows: Range<Int>, to target: UnsafeMutableRawPointer) throws(ImagingError)
}

extension PictureRows {
  private var bytesPerRow: Int { size.width * format.bytesPerPixel }

  /// About 256 KiB of pixels.
  private var batch: Int { max(8, (256 << 10) / bytesPerRow) & ~1 }

  /// Converts the whole picture.
  func bitmap(_ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bitmap {
    try Bitmap(size: size, format: format) { (target) throws(ImagingError) in
      guard let base = target.baseAddress else { throw .outOfMemory(byteCount: target.count) }
      var row = 0
      while row < size.height {
        try watch.check()
        let end = min(size.height, row + 16 * batch)
        try convert(rows: row..<end, to: base + row * bytesPerRow)
        row = end
      }
      return isOpaque
    }
  }

  /// Converts rows and resamples them; `nil` if the thumbnails need the whole picture.
  func shrink(
    by shrinker: RowShrinker, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bitmap? {
    guard let rows = try shrinker.rows(of: size, format: format, isOpaque: isOpaque, profile: profile) else {
      return nil
    }
    while !rows.isComplete {
      try watch.check()
      let room = rows.room
      let count = min(batch, room.count)
      guard let start = room.start, count > 0 else { return nil }
      try convert(rows: rows.rows..<rows.rows + count, to: UnsafeMutableRawPointer(start))
      rows.advance(by: count)
    }
    return shrinker.take(rows)
  }

  /// Returns the bitmap, or the thumbnails of a shrinker; grey as ``PixelFormat/gray8`` if the options ask for it.
  func bitmap(
    shrinkingBy shrinker: RowShrinker?, options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bitmap {
    let bitmap: Bitmap
    if let shrinker, let shrunk = try shrink(by: shrinker, watch) {
      bitmap = shrunk
    } else {
      bitmap = try self.bitmap(watch)
    }
    return options.pixels == .native && isGray && bitmap.format == .rgba8
      ? try bitmap.converted(to: .gray8) : bitmap
  }
}
