/// A picture of an icon that is stored as a bitmap, with a mask of one bit per pixel behind its rows.
struct ICOBitmap {
  private let header: BMPHeader
  private let entry: ICOEntry
  /// The picture, as far as it is in the file.
  private let bytes: UnsafeRawBufferPointer

  init(_ header: BMPHeader, of entry: ICOEntry, in file: UnsafeRawBufferPointer) {
    self.header = header
    self.entry = entry
    bytes = UnsafeRawBufferPointer(rebasing: file[entry.range])
  }

  /// Returns the pixels and their flaws. Without alpha of its own, the picture is transparent where the mask has a bit.
  func decode(
    options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> (Bitmap, DamageReport) {
    let available = header.rowCount(in: bytes.count)
    let isComplete = available == header.size.height
    let error = ImagingError.truncated(header.format, byteCount: bytes.count)
    var flaws: DamageReport = isComplete ? [] : .partial
    if !isComplete, !options.accepts(error) || available == 0 { throw error }

    let canvas = try PixelCanvas(size: header.size, format: .rgba8)
    if !isComplete { canvas.clear() }
    let alpha = try paint(available, onto: canvas, watch)
    let usesMask = header.masks.alpha == 0 || alpha.isZero
    var isOpaque = isComplete && alpha.isFull
    if usesMask, !isComplete {
      // The mask is behind the rows.
      try fillAlpha(of: canvas, rows: available, watch)
    } else if usesMask {
      if let mask = maskRange {
        isOpaque = try apply(bytes[mask], to: canvas, watch)
      } else if entry.isCut {
        guard options.accepts(error) else { throw error }
        flaws.insert(.partial)
        try fillAlpha(of: canvas, rows: available, watch)
        isOpaque = true
      } else {
        isOpaque = true
        try fillAlpha(of: canvas, rows: available, watch)
      }
    }
    return (canvas.finished(isOpaque: isOpaque), flaws)
  }

  /// Converts rows, and looks at their alpha.
  private func paint(
    _ rows: Int, onto canvas: PixelCanvas, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> (isZero: Bool, isFull: Bool) {
    var (any, all): (UInt32, UInt32) = (0, .max)
    let opaque = UInt32(littleEndian: 0xFF00_0000)
    guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return (true, false) }
    let expander = BMPExpander(header, bytes)
    for row in 0..<rows {
      if row & 63 == 0 { try watch.check() }
      let y = line(row)
      let target = canvas.address(x: 0, y: y)
      expander.expand(
        base + header.pixelStart + row * header.stride, to: target.assumingMemoryBound(to: UInt8.self),
        count: header.size.width)
      let pixels = target.assumingMemoryBound(to: UInt32.self)
      for x in 0..<header.size.width {
        any |= pixels[x]
        all &= pixels[x]
      }
    }
    return (any & opaque == 0, all & opaque == opaque)
  }

  /// Returns the line of a stored row.
  private func line(_ row: Int) -> Int { header.isTopDown ? row : header.size.height - 1 - row }

  /// The distance between the rows of the mask, in bytes.
  private var maskStride: Int { (header.size.width + 31) / 32 * 4 }

  /// The bytes of the mask; `nil` if they are not within the picture.
  private var maskRange: Range<Int>? {
    let start = header.pixelStart + header.stride * header.size.height
    let (count, overflow) = maskStride.multipliedReportingOverflow(by: header.size.height)
    guard !overflow, count <= bytes.count - start else { return nil }
    return start..<start + count
  }

  /// Sets alpha by the mask. Returns true if no pixel is transparent.
  private func apply(
    _ mask: Slice<UnsafeRawBufferPointer>, to canvas: PixelCanvas, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let opaque = UInt32(littleEndian: 0xFF00_0000)
    var isOpaque = true
    for row in 0..<header.size.height {
      if row & 63 == 0 { try watch.check() }
      let pixels = canvas.address(x: 0, y: line(row)).assumingMemoryBound(to: UInt32.self)
      let start = mask.startIndex + row * maskStride
      for x in 0..<header.size.width {
        let isMasked = mask[start + x / 8] & (0x80 >> (x & 7)) != 0
        pixels[x] = isMasked ? pixels[x] & ~opaque : pixels[x] | opaque
        if isMasked { isOpaque = false }
      }
    }
    return isOpaque
  }

  /// Makes the stored rows opaque.
  private func fillAlpha(
    of canvas: PixelCanvas, rows: Int, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    for row in 0..<rows {
      if row & 63 == 0 { try watch.check() }
      let pixels = canvas.address(x: 0, y: line(row)).assumingMemoryBound(to: UInt32.self)
      for x in 0..<header.size.width { pixels[x] |= UInt32(littleEndian: 0xFF00_0000) }
    }
  }
}
