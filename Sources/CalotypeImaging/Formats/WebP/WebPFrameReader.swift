import CWebP

/// A decoder of one frame of a WebP into memory of the caller, as far as there are bytes: RGBA, straight alpha, without
/// blending. Not `Sendable`: one thread at a time.
final class WebPFrameReader {
  /// The division of the bitstream into pieces. After each piece, incomplete units are read again.
  enum Pace {
    /// Few pieces, between which cancellation is checked.
    case whole
    /// As many pieces as are cheap, for bytes that arrive slowly.
    case arriving
    /// Pieces of about this number of rows.
    case rows(Int)
  }

  /// The target of the pixels, with four bytes each.
  struct Target {
    /// Memory that outlives the reader, starting at the first pixel of the frame.
    var pixels: UnsafeMutableRawBufferPointer
    /// The distance between rows, in bytes.
    var bytesPerRow: Int

    /// Creates a target for the rectangle of a frame on a canvas of `width` pixels.
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
        // The number of pieces depends on pixels, because few bytes may make many of them.
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

  /// A Boolean value that indicates whether the whole frame is decoded.
  var isComplete: Bool { status == VP8_STATUS_OK }

  /// The number of decoded rows.
  var rows: Int {
    if status == VP8_STATUS_OK { return frame.size.height }
    var rows: Int32 = 0
    guard let decoder, WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil else { return 0 }
    return min(max(0, Int(rows)), frame.size.height)
  }

  /// The number of bytes of the file at which ``read(_:isLast:watch:)`` can make progress.
  var nextCount: Int {
    guard status == VP8_STATUS_SUSPENDED, fed < frame.payload.count else { return .max }
    return frame.payload.lowerBound + min(fed + step, frame.payload.count)
  }

  /// Decodes as far as the bytes reach; they are the file from its beginning. Damage is only reported by `finish`.
  ///
  /// - Throws: The errors of `watch`.
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

  /// Ends the input and decodes the rest; returns true if all rows are present.
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

  /// Decodes the whole bitstream: the incremental decoder waits for missing bytes where the other can still finish.
  private func decodeAtOnce(
    _ file: UnsafeRawBufferPointer, keepsRows: Bool
  ) throws(ImagingError) -> Bool {
    guard let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
    // Both write to the same pixels; rows of the incremental decode would be lost if only part of the frame can be
    // decoded.
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

  /// Makes pixels opaque. Lossless pixels carry alpha even if the header declares it unused; all decoders follow the
  /// header.
  private func makeOpaque(rows: Int) {
    guard frame.isLossless, !frame.hasAlpha else { return }
    WebPPixels.makeOpaque(target.pixels, width: frame.size.width, rows: rows, bytesPerRow: target.bytesPerRow)
  }
}
