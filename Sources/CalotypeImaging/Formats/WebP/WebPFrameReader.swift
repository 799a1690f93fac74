import CWebP

/// Decodes one frame of a WebP into memory of the caller, as far as there are bytes: RGBA, straight
/// alpha, without blending. Not `Sendable`: one thread at a time.
final class WebPFrameReader {
  /// How the bitstream is cut. After each piece, whatever was not whole yet is read again.
  enum Pace {
    /// Few pieces, so that cancellation is seen between them.
    case whole
    /// As many as cost little, for bytes that arrive slowly.
    case arriving
    /// Each about so many rows.
    case rows(Int)
  }

  /// Where the pixels go: four bytes each.
  struct Target {
    /// Memory that outlives the reader, from the first pixel of the frame on.
    var pixels: UnsafeMutableRawBufferPointer
    /// Bytes from one row to the next.
    var bytesPerRow: Int

    /// The rectangle of a frame on a canvas of `width` pixels.
    init(_ frame: WebPFrame, onto canvas: UnsafeMutableRawBufferPointer, width: Int) throws(ImagingError) {
      let start = 4 * (frame.y * width + frame.x)
      let end = 4 * ((frame.y + frame.size.height - 1) * width + frame.x + frame.size.width)
      guard start >= 0, end <= canvas.count, frame.x + frame.size.width <= width else {
        throw .corrupt(.webp, reason: "a frame sticks out of the canvas", offset: nil)
      }
      pixels = UnsafeMutableRawBufferPointer(rebasing: canvas[start..<end])
      bytesPerRow = 4 * width
    }
  }

  /// The frame.
  let frame: WebPFrame

  private let target: Target
  private let config: UnsafeMutablePointer<WebPDecoderConfig>
  private var decoder: OpaquePointer?
  private let step: Int
  private var fed = 0
  private var status = VP8_STATUS_SUSPENDED

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/unsupportedFormat(_:reason:)``.
  init(_ frame: WebPFrame, into target: Target, pace: Pace) throws(ImagingError) {
    self.frame = frame
    self.target = target
    step =
      switch pace {
      case .whole:
        // By pixels, because few bytes may make many of them.
        max(1 << 10, frame.payload.count / max(1, frame.size.pixelCount / (3 << 19)) + 1)
      case .rows(let rows):
        max(256, frame.payload.count / max(1, frame.size.height / max(1, rows)))
      case .arriving:
        frame.isLossless ? max(16 << 10, frame.payload.count / 12) : max(4 << 10, frame.payload.count / 64)
      }
    config = .allocate(capacity: 1)
    config.initialize(to: WebPDecoderConfig())
    guard WebPInitDecoderConfig(config) != 0 else {
      throw .unsupportedFormat(.webp, reason: "the WebP library has another version than its headers")
    }
    config.pointee.output.colorspace = MODE_RGBA
    config.pointee.output.is_external_memory = 1
    config.pointee.output.u.RGBA.rgba = target.pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
    config.pointee.output.u.RGBA.stride = Int32(target.bytesPerRow)
    config.pointee.output.u.RGBA.size = target.pixels.count
    guard let decoder = WebPIDecode(nil, 0, config) else {
      throw .outOfMemory(byteCount: frame.size.pixelCount * 4)
    }
    self.decoder = decoder
  }

  deinit {
    if let decoder { WebPIDelete(decoder) }
    config.deallocate()
  }

  /// Whether the whole frame is decoded.
  var isComplete: Bool { status == VP8_STATUS_OK }

  /// Rows that are there.
  var rows: Int {
    if status == VP8_STATUS_OK { return frame.size.height }
    var rows: Int32 = 0
    guard let decoder, WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil else { return 0 }
    return min(max(0, Int(rows)), frame.size.height)
  }

  /// How many bytes of the file there have to be for ``read(_:isLast:watch:)`` to do anything.
  var nextCount: Int {
    guard status == VP8_STATUS_SUSPENDED, fed < frame.payload.count else { return .max }
    return frame.payload.lowerBound + min(fed + step, frame.payload.count)
  }

  /// Goes on as far as the bytes reach: all bytes of the file so far. Damage is reported in the end only.
  ///
  /// - Throws: What `watch` throws.
  func read(
    _ file: UnsafeRawBufferPointer, isLast: Bool = false, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    guard let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self), let decoder else { return }
    let start = frame.payload.lowerBound
    let available = min(frame.payload.upperBound, file.count) - start
    let goal = isLast || available == frame.payload.count ? available : available - step + 1
    while status == VP8_STATUS_SUSPENDED, fed < goal {
      try watch.check()
      fed = min(fed + step, available)
      status = WebPIUpdate(decoder, source + start, fed)
    }
  }

  /// Says that no more bytes come and decodes the rest; returns whether all rows are there.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` and ``ImagingError/truncated(_:byteCount:)`` unless
  ///   partial frames are allowed and there is at least one row; ``ImagingError/outOfMemory(byteCount:)``.
  func finish(
    _ file: UnsafeRawBufferPointer, allowsPartial: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    try read(file, isLast: true, watch: watch)
    if status == VP8_STATUS_OK {
      makeOpaque(rows: frame.size.height)
      return true
    }
    let isTruncated = frame.payload.upperBound > file.count
    if !isTruncated, status == VP8_STATUS_SUSPENDED {
      try watch.check()
      if try decodeAtOnce(file, keepsRows: allowsPartial) { return true }
    }
    if status == VP8_STATUS_OUT_OF_MEMORY { throw .outOfMemory(byteCount: frame.size.pixelCount * 4) }
    if allowsPartial, rows > 0 {
      makeOpaque(rows: rows)
      return false
    }
    if isTruncated, status == VP8_STATUS_SUSPENDED { throw .truncated(.webp, byteCount: file.count) }
    throw .corrupt(.webp, reason: "the bitstream is damaged", offset: frame.payload.lowerBound)
  }

  /// The decoder for pieces waits for bytes that will not come where the one for wholes has ways to end.
  private func decodeAtOnce(
    _ file: UnsafeRawBufferPointer, keepsRows: Bool
  ) throws(ImagingError) -> Bool {
    guard let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    // Both write to the same pixels; what the first left there is lost if only part of it is wanted.
    let count = keepsRows ? min(rows * target.bytesPerRow, target.pixels.count) : 0
    let pool = PixelPool.shared
    guard let kept = pool.take(byteCount: count) else { throw .outOfMemory(byteCount: count) }
    defer { pool.giveBack(kept) }
    kept.copyMemory(from: UnsafeRawBufferPointer(rebasing: target.pixels[..<count]))
    let result = WebPDecode(source + frame.payload.lowerBound, frame.payload.count, config)
    guard result == VP8_STATUS_OK else {
      target.pixels.copyMemory(from: UnsafeRawBufferPointer(rebasing: kept[..<count]))
      if result == VP8_STATUS_OUT_OF_MEMORY { status = result }
      return false
    }
    status = result
    makeOpaque(rows: frame.size.height)
    return true
  }

  /// Lossless pixels carry alpha even when the header says that it is unused. All decoders believe the header.
  private func makeOpaque(rows: Int) {
    guard frame.isLossless, !frame.hasAlpha else { return }
    WebPPixels.makeOpaque(target.pixels, width: frame.size.width, rows: rows, bytesPerRow: target.bytesPerRow)
  }
}
