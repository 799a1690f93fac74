/// The frames of an APNG, for a ``FrameCompositor``.
struct PNGFrames: AnimationFrames {
  let file: PNGFile

  private var frames: [PNGFrame] { file.structure.animation?.frames ?? [] }

  var canvasSize: PixelSize { file.structure.header.size }
  var pixelFormat: PixelFormat { file.format }
  var frameCount: Int { frames.count }

  func layout(of index: Int) -> FrameLayout {
    let frame = frames[index]
    return FrameLayout(
      area: frame.area, disposal: frame.disposal,
      hidesOthers: isWhole(frame.area) && (frame.blend == .source || !file.structure.hasAlpha)
        && frame.disposal != .restore)
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = frames[index]
    if isFresh { canvas.clear() }
    // Under the first frame there is nothing: it is the still image, hidden colours of transparent pixels included.
    let blends = index > 0 && frame.blend == .over && file.structure.hasAlpha
    let outcome = try PNGPixelReader(file.bytes, file.structure, watch: watch)
      .read(frame, onto: canvas, blends: blends)
    if let refusal = outcome.refusal(under: file.options) { throw refusal }
    // There is nothing to show in place of the first.
    if index == 0, outcome.rows == 0, let failure = outcome.failure { throw failure }
    let covers = outcome.failure == nil && isWhole(frame.area)
    return DrawnFrame(
      flaws: outcome.flaws, opacity: covers && !file.structure.hasAlpha ? .opaque : .unknown,
      coversCanvas: covers && !blends)
  }
}
