#if AVIF
import CAVIF

/// A decoded picture before its conversion to pixels: planes of colour and alpha, and what they mean.
struct AVIFPixels {
  let color: AVIFPlanes
  /// Alpha in the luma plane, of the full range, and of the size and depth of ``color``.
  let alpha: AVIFPlanes?
  let points: cavif_colors
  /// A Boolean value that indicates whether the colours are multiplied by alpha.
  let isPremultiplied: Bool
  /// The format to convert to, with 8 or 16 bits per sample.
  let format: PixelFormat

  /// A Boolean value that indicates whether there is neither chroma nor alpha.
  var isGray: Bool { color.isMonochrome && alpha == nil }

  /// About 256 KiB of pixels.
  private var batch: Int { max(8, (256 << 10) / (color.size.width * format.bytesPerPixel)) & ~1 }

  /// Converts rows. `target` has room for them.
  func convert(rows: Range<Int>, to target: UnsafeMutableRawPointer) throws(ImagingError) {
    var source = cavif_source(
      planes: color.raw, colors: points, alpha: alpha?.raw ?? cavif_planes(),
      is_premultiplied: isPremultiplied)
    let stride = color.size.width * format.bytesPerPixel
    let status = cavif_convert(
      &source, UInt32(rows.lowerBound), UInt32(rows.count), format == .rgba16 ? 16 : 8,
      target.assumingMemoryBound(to: UInt8.self), stride)
    switch status {
    case CAVIF_DONE: return
    case CAVIF_NO_MEMORY: throw .outOfMemory(byteCount: rows.count * stride)
    default:
      throw .unsupportedFormat(
        .avif, reason: "the matrix \(points.matrix) does not fit the planes, or is not known (ITU-T H.273)")
    }
  }

  /// Converts the whole picture.
  func bitmap(_ watch: DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bitmap {
    try Bitmap(size: color.size, format: format) { (target) throws(ImagingError) in
      guard let base = target.baseAddress else { throw .outOfMemory(byteCount: target.count) }
      let stride = color.size.width * format.bytesPerPixel
      var row = 0
      while row < color.size.height {
        try watch.check()
        let end = min(color.size.height, row + 16 * batch)
        try convert(rows: row..<end, to: base + row * stride)
        row = end
      }
      return alpha == nil
    }
  }

  /// Converts rows and resamples them; `nil` if the thumbnails need the whole picture.
  func shrink(
    by shrinker: RowShrinker, profile: ColorProfile?, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bitmap? {
    guard
      let rows = try shrinker.rows(of: color.size, format: format, isOpaque: alpha == nil, profile: profile)
    else { return nil }
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
}
#endif
