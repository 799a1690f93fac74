/// The frames of an animated WebP (RFC 9649, 2.7.1.1).
struct WebPFrames: AnimationFrames {
  let structure: WebPStructure
  /// The source of the structure.
  let file: UnsafeRawBufferPointer
  let allowsPartial: Bool

  var canvasSize: PixelSize { structure.canvas }
  var pixelFormat: PixelFormat { .rgba8 }
  var frameCount: Int { structure.frames.count }

  func layout(of index: Int) -> FrameLayout {
    let frame = structure.frames[index]
    return FrameLayout(
      area: PixelRectangle(x: frame.x, y: frame.y, size: frame.size),
      disposal: frame.clearsAfterwards ? .clear : .keep,
      // A damaged frame, where it is accepted, may lack pixels.
      hidesOthers: !allowsPartial && frame.size == canvasSize && (frame.replaces || !frame.hasAlpha))
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = structure.frames[index]
    let fills = frame.size == canvasSize
    // The first frame has nothing below it; its pixels, including transparent ones, are those of a still.
    let replaces = frame.replaces || !frame.hasAlpha || index == 0
    // Missing rows of a damaged frame must preserve the pixels below.
    let isDirect = replaces && !allowsPartial
    if isFresh, !fills || !isDirect { canvas.clear() }
    let isComplete =
      isDirect
      ? try decode(frame, onto: canvas, watch) : try overlay(frame, onto: canvas, replaces: replaces, watch)
    return DrawnFrame(
      flaws: isComplete ? [] : .partial,
      isOpaque: isComplete && fills && !frame.hasAlpha ? true : replaces && frame.hasAlpha ? false : nil)
  }

  /// Decodes straight into the canvas.
  private func decode(
    _ frame: WebPFrame, onto canvas: PixelCanvas, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let target = try WebPFrameReader.Target(frame, onto: canvas.pixels, width: canvasSize.width)
    let reader = try WebPFrameReader(frame, into: target, pace: .whole)
    return try reader.finish(file, allowsPartial: false, watch: watch)
  }

  /// Decodes beside the canvas, then composites the decoded rows over it or replaces its rows by them.
  private func overlay(
    _ frame: WebPFrame, onto canvas: PixelCanvas, replaces: Bool, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    var atOrigin = frame
    (atOrigin.x, atOrigin.y) = (0, 0)
    let scratch = try PixelCanvas(size: frame.size, format: canvas.format, pool: canvas.pool)
    let target = try WebPFrameReader.Target(atOrigin, onto: scratch.pixels, width: frame.size.width)
    let reader = try WebPFrameReader(atOrigin, into: target, pace: .whole)
    let isComplete = try reader.finish(file, allowsPartial: allowsPartial, watch: watch)
    for row in 0..<reader.rows {
      if row & 63 == 0 { try watch.check() }
      let output = canvas.address(x: frame.x, y: frame.y + row)
      let input = scratch.address(x: 0, y: row)
      if replaces {
        output.copyMemory(from: input, byteCount: scratch.bytesPerRow)
      } else {
        WebPPixels.blend(input, over: output, count: frame.size.width)
      }
    }
    return isComplete
  }
}
