import Glibc

/// A painter of QOI pixels on a canvas, as far as their bytes are there. Whole and incremental decodes use it.
final class QOIPainter {
  private let header: QOIHeader
  private let canvas: PixelCanvas
  private let reader: QOIReader
  /// The number of painted pixels.
  private(set) var count = 0

  /// Pixels between two checks of the deadline.
  private static let batch = 1 << 16

  init(_ header: QOIHeader) throws(ImagingError) {
    self.header = header
    canvas = try PixelCanvas(size: header.size, format: .rgba8)
    reader = QOIReader(header)
  }

  var isComplete: Bool { count == header.size.pixelCount }

  /// Paints what is new in the bytes, which begin with those of earlier calls.
  func paint(_ bytes: UnsafeRawBufferPointer, watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    let target = canvas.address(x: 0, y: 0).assumingMemoryBound(to: UInt32.self)
    while !isComplete {
      try watch.check()
      let wanted = min(Self.batch, header.size.pixelCount - count)
      let made = reader.read(bytes, to: target + count, count: wanted)
      count += made
      if made < wanted { return }
    }
  }

  /// Returns a copy of the painted part; the rest is transparent.
  func preview() throws(ImagingError) -> Bitmap {
    try Bitmap(size: header.size) { target throws(ImagingError) in
      guard let base = target.baseAddress else { throw .outOfMemory(byteCount: target.count) }
      memcpy(base, canvas.address(x: 0, y: 0), 4 * count)
      memset(base + 4 * count, 0, target.count - 4 * count)
      return false
    }
  }

  /// Ends the input: returns the picture and its flaws. Called once, last.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``, unless the options
  ///   accept them and there are pixels.
  func finish(
    _ bytes: UnsafeRawBufferPointer, options: DecodeOptions
  ) throws(ImagingError) -> (Bitmap, DamageReport) {
    let failure =
      isComplete ? reader.failure(of: bytes) : ImagingError.truncated(.qoi, byteCount: bytes.count)
    if let failure {
      guard options.accepts(failure), count > 0 else { throw failure }
    }
    memset(canvas.address(x: 0, y: 0) + 4 * count, 0, canvas.byteCount - 4 * count)
    return (canvas.finished(isOpaque: isComplete && !header.hasAlpha), DamageReport(failure))
  }
}
