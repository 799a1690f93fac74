import CWebP

/// Decodes one frame of a WebP into an RGBA canvas, without blending.
struct WebPPainter {
  /// All bytes that the structure was read from.
  let file: UnsafeRawBufferPointer
  /// Keep what was decoded of a damaged or truncated frame instead of throwing.
  let allowsPartial: Bool

  /// Writes the pixels of `frame` into its rectangle of `canvas`, four bytes a pixel, straight alpha; returns
  /// whether all rows are there. Rows that are missing are left as they were.
  ///
  /// The bitstream is fed in pieces, so that cancellation is seen between them.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  func paint(
    _ frame: WebPFrame, onto canvas: UnsafeMutableRawBufferPointer, width: Int
  ) throws(ImagingError) -> Bool {
    let stride = 4 * width
    let start = frame.y * stride + 4 * frame.x
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .unsupportedFormat(.webp, reason: "the WebP library has another version than its headers")
    }
    guard start < canvas.count, let target = canvas.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { throw .corrupt(.webp, reason: "a frame sticks out of the canvas", offset: nil) }
    config.output.colorspace = MODE_RGBA
    config.output.is_external_memory = 1
    config.output.u.RGBA.rgba = target + start
    config.output.u.RGBA.stride = Int32(stride)
    config.output.u.RGBA.size = canvas.count - start

    let isComplete = try decode(frame, source + frame.payload.lowerBound, &config)
    if frame.isLossless, !frame.hasAlpha, isComplete { makeOpaque(frame, canvas: canvas, width: width) }
    return isComplete
  }

  private func decode(
    _ frame: WebPFrame, _ bytes: UnsafePointer<UInt8>, _ config: inout WebPDecoderConfig
  ) throws(ImagingError) -> Bool {
    let result = try feed(bytes, count: frame.payload.count, config: &config)
    if result.status == VP8_STATUS_OK { return true }
    if result.status == VP8_STATUS_OUT_OF_MEMORY {
      throw .outOfMemory(byteCount: frame.size.pixelCount * 4)
    }
    if !frame.isTruncated {
      // The decoder for pieces waits for bytes that will not come where the one for wholes has ways to end.
      let status = WebPDecode(bytes, frame.payload.count, &config)
      if status == VP8_STATUS_OK { return true }
      if status == VP8_STATUS_OUT_OF_MEMORY { throw .outOfMemory(byteCount: frame.size.pixelCount * 4) }
    }
    if allowsPartial, result.rows > 0 { return false }
    if frame.isTruncated, result.status == VP8_STATUS_SUSPENDED {
      throw .truncated(.webp, byteCount: file.count)
    }
    throw .corrupt(.webp, reason: "the bitstream is damaged", offset: frame.payload.lowerBound)
  }

  private func feed(
    _ bytes: UnsafePointer<UInt8>, count: Int, config: inout WebPDecoderConfig
  ) throws(ImagingError) -> (status: VP8StatusCode, rows: Int) {
    try withUnsafeMutablePointer(to: &config) { (config) throws(ImagingError) in
      // The decoder keeps a pointer to the output description until it is deleted.
      guard let decoder = WebPIDecode(nil, 0, config) else { return (VP8_STATUS_OUT_OF_MEMORY, 0) }
      defer { WebPIDelete(decoder) }
      // Few pieces: after each, a lossless header that was not whole yet is read again.
      let step = max(64 << 10, count / 8)
      var fed = 0
      var status = VP8_STATUS_SUSPENDED
      while status == VP8_STATUS_SUSPENDED, fed < count {
        if Task.isCancelled { throw .cancelled }
        fed = min(fed + step, count)
        status = WebPIUpdate(decoder, bytes, fed)
      }
      var rows: Int32 = 0
      let isStarted = WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil
      return (status, isStarted ? Int(rows) : 0)
    }
  }

  /// Lossless pixels carry alpha even when the header says that it is unused. Everybody believes the header.
  private func makeOpaque(_ frame: WebPFrame, canvas: UnsafeMutableRawBufferPointer, width: Int) {
    guard let pixels = canvas.baseAddress?.assumingMemoryBound(to: UInt32.self) else { return }
    let alpha = (UInt32(255) << 24).littleEndian
    for row in frame.y..<frame.y + frame.size.height {
      let start = row * width + frame.x
      var column = 0
      while column < frame.size.width {
        pixels[start &+ column] |= alpha
        column &+= 1
      }
    }
  }
}
