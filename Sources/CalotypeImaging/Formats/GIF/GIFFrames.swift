/// The frames of a GIF, for a ``FrameCompositor``.
struct GIFFrames: AnimationFrames {
  let structure: GIFStructure
  /// What the structure was read from.
  let file: UnsafeRawBufferPointer
  let options: DecodeOptions
  var pool = PixelPool.shared

  var canvasSize: PixelSize { structure.canvas }
  var pixelFormat: PixelFormat { .rgba8 }
  var frameCount: Int { structure.frames.count }

  func layout(of index: Int) -> FrameLayout {
    let frame = structure.frames[index]
    let area = structure.visibleArea(of: frame)
    let isEmpty = area.columns.isEmpty || area.rows.isEmpty
    return FrameLayout(
      area: PixelRectangle(
        x: area.columns.lowerBound, y: area.rows.lowerBound,
        size: PixelSize(width: isEmpty ? 0 : area.columns.count, height: isEmpty ? 0 : area.rows.count)),
      disposal: frame.disposal,
      hidesOthers: frame.disposal != .restore && frame.transparentIndex == nil && structure.fillsCanvas(frame))
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = structure.frames[index]
    guard frame.size.pixelCount > 0 else {
      if isFresh { canvas.clear() }
      return DrawnFrame(opacity: .unchanged)
    }
    let reader = try GIFFrameReader(frame, pool: pool)
    try reader.read(file, watch: watch)
    let flaws = try reader.finish(byteCount: file.count, options: options, mayBeEmpty: index > 0)
    let covers = GIFPainter(frame, of: structure, file: file)
      .paint(reader.decoded, onto: canvas.pixels, ground: isFresh ? .fresh : .kept)
    return DrawnFrame(flaws: flaws, opacity: covers ? .opaque : .unchanged, coversCanvas: covers)
  }
}
