/// The frames of an animated WebP (RFC 9649, 2.7.1.1), for a ``FrameCompositor``.
struct WebPFrames: AnimationFrames {
  let structure: WebPStructure
  /// What the structure was read from.
  let file: UnsafeRawBufferPointer
  let allowsPartial: Bool
  var pool = PixelPool.shared

  var canvasSize: PixelSize { structure.canvas }
  var pixelFormat: PixelFormat { .rgba8 }
  var frameCount: Int { structure.frames.count }

  func layout(of index: Int) -> FrameLayout {
    let frame = structure.frames[index]
    return FrameLayout(
      area: PixelRectangle(x: frame.x, y: frame.y, size: frame.size),
      disposal: frame.clearsAfterwards ? .clear : .keep,
      // A damaged frame, where one is allowed, may leave pixels out.
      hidesOthers: !allowsPartial && frame.size == canvasSize && (frame.replaces || !frame.hasAlpha))
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = structure.frames[index]
    let fills = frame.size == canvasSize
    // Nothing is below the first frame; its pixels are those of a still, also where they are transparent.
    let replaces = frame.replaces || !frame.hasAlpha || index == 0
    // Rows that a damaged frame leaves out must not lose what is below.
    let isDirect = replaces && !allowsPartial
    if isFresh, !fills || !isDirect { canvas.clear() }
    let isComplete =
      isDirect
      ? try decode(frame, onto: canvas, watch) : try overlay(frame, onto: canvas, replaces: replaces, watch)
    let opacity: DrawnFrame.Opacity =
      isComplete && fills && !frame.hasAlpha ? .opaque : replaces && frame.hasAlpha ? .unknown : .unchanged
    return DrawnFrame(flaws: isComplete ? [] : .partial, opacity: opacity)
  }

  /// Decodes straight into the canvas.
  private func decode(
    _ frame: WebPFrame, onto canvas: PixelCanvas, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let target = try WebPFrameReader.Target(frame, onto: canvas.pixels, width: canvasSize.width)
    return try WebPFrameReader(frame, into: target, pace: .whole)
      .finish(file, allowsPartial: false, watch: watch)
  }

  /// Decodes beside the canvas, then lays the rows that there are over it or in their place.
  private func overlay(
    _ frame: WebPFrame, onto canvas: PixelCanvas, replaces: Bool, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let byteCount = frame.size.pixelCount * 4
    guard let scratch = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    defer { pool.giveBack(scratch) }
    var atOrigin = frame
    atOrigin.x = 0
    atOrigin.y = 0
    let target = try WebPFrameReader.Target(atOrigin, onto: scratch, width: frame.size.width)
    let reader = try WebPFrameReader(atOrigin, into: target, pace: .whole)
    let isComplete = try reader.finish(file, allowsPartial: allowsPartial, watch: watch)
    guard let source = scratch.baseAddress else { return false }
    for row in 0..<reader.rows {
      if row & 63 == 0 { try watch.check() }
      let output = canvas.address(x: frame.x, y: frame.y + row)
      let input = source + 4 * row * frame.size.width
      if replaces {
        output.copyMemory(from: input, byteCount: 4 * frame.size.width)
      } else {
        WebPPixels.blend(input, over: output, count: frame.size.width)
      }
    }
    return isComplete
  }
}
