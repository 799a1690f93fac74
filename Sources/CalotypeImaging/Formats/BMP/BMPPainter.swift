import Glibc

/// A painter of a bitmap on a canvas, as far as its bytes are there. Whole and incremental decodes use it, so that they
/// agree.
final class BMPPainter {
  let header: BMPHeader
  private let canvas: PixelCanvas
  private let expander: BMPExpander
  private var runs: BMPRunReader?
  /// The number of complete stored rows.
  private var rows = 0

  /// - Parameters:
  ///   - header: Headers with a checked size.
  ///   - bytes: The bitmap, at least up to its first pixel, or to its end.
  init(_ header: BMPHeader, _ bytes: UnsafeRawBufferPointer) throws(ImagingError) {
    self.header = header
    canvas = try PixelCanvas(size: header.size, format: .rgba8)
    expander = BMPExpander(header, bytes)
    if header.coding == .runs {
      canvas.clear()
      runs = BMPRunReader(header)
    }
  }

  /// A measure of the painted part, which only grows.
  var progress: Int { runs?.paintedCount ?? rows }

  /// A Boolean value that indicates whether all pixels have been painted, or skipped for good.
  var isComplete: Bool { runs?.isComplete ?? (rows == header.size.height) }

  /// Paints what is new in the bytes, which begin with those of earlier calls.
  func paint(_ bytes: UnsafeRawBufferPointer, watch: DecodeLimits.DeadlineChecker) throws(ImagingError) {
    if runs != nil {
      try runs?.read(bytes, expander, onto: canvas, watch: watch)
      return
    }
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
    let available = header.rowCount(in: bytes.count)
    let batch = max(1, (256 << 10) / canvas.bytesPerRow)
    while rows < available {
      if rows % batch == 0 { try watch.check() }
      let y = header.isTopDown ? rows : header.size.height - 1 - rows
      expander.expand(
        base + header.pixelStart + rows * header.stride,
        to: canvas.address(x: 0, y: y).assumingMemoryBound(to: UInt8.self), count: header.size.width)
      rows += 1
    }
  }

  /// Returns a copy of the painted part; the rest is transparent.
  func preview() throws(ImagingError) -> Bitmap {
    try Bitmap(size: header.size) { target throws(ImagingError) in
      guard let base = target.baseAddress else { throw .outOfMemory(byteCount: target.count) }
      if runs != nil {
        memcpy(base, canvas.address(x: 0, y: 0), target.count)
        return false
      }
      memset(base, 0, target.count)
      let first = header.isTopDown ? 0 : header.size.height - rows
      if rows > 0 {
        memcpy(base + first * canvas.bytesPerRow, canvas.address(x: 0, y: first), rows * canvas.bytesPerRow)
      }
      return false
    }
  }

  /// Ends the input: returns the picture and its flaws. Called once, last.
  ///
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``, unless the options
  ///   accept them and there are pixels.
  func finish(byteCount: Int, options: DecodeOptions) throws(ImagingError) -> (Bitmap, DamageReport) {
    var flaws: DamageReport = []
    if runs?.leavesPicture == true {
      let error = ImagingError.corrupt(
        header.format, reason: "a run of pixels leaves the picture", offset: nil)
      guard options.accepts(error) else { throw error }
      flaws.insert(.damaged)
    }
    if !isComplete {
      let error = ImagingError.truncated(header.format, byteCount: byteCount)
      guard options.accepts(error), progress > 0 else { throw error }
      flaws.insert(.partial)
      if runs == nil { clearMissingRows() }
    }
    let isOpaque =
      runs.map { $0.paintedCount == header.size.pixelCount } ?? (!header.hasAlpha && isComplete)
    return (canvas.finished(isOpaque: isOpaque), flaws)
  }

  private func clearMissingRows() {
    let missing = header.size.height - rows
    canvas.clear(
      PixelRectangle(
        x: 0, y: header.isTopDown ? rows : 0, size: PixelSize(width: header.size.width, height: missing)))
  }
}
