/// The frames of a GIF.
struct GIFFrames: AnimationFrames {
  let structure: GIFStructure
  /// The source of the structure.
  let file: UnsafeRawBufferPointer
  let options: DecodeOptions

  var canvasSize: PixelSize { structure.canvas }
  var pixelFormat: PixelFormat { .rgba8 }
  var frameCount: Int { structure.frames.count }

  func layout(of index: Int) -> FrameLayout {
    let frame = structure.frames[index]
    let (columns, rows) = structure.visibleArea(of: frame)
    let area = PixelRectangle(
      x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
    return FrameLayout(
      area: area, disposal: frame.disposal,
      hidesOthers: frame.disposal != .restore && frame.transparentIndex == nil && isWhole(area))
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = structure.frames[index]
    guard frame.size.pixelCount > 0 else {
      if isFresh { canvas.clear() }
      return DrawnFrame()
    }
    let reader = try GIFFrameReader(frame, pool: canvas.pool)
    try reader.read(file, watch: watch)
    let flaws = try reader.finish(byteCount: file.count, options: options, mayBeEmpty: index > 0)
    let covers = GIFPainter(frame, of: structure, file: file)
      .paint(reader.decoded, onto: canvas.pixels, ground: isFresh ? .fresh : .kept)
    return DrawnFrame(flaws: flaws, isOpaque: covers ? true : nil, coversCanvas: covers)
  }
}
