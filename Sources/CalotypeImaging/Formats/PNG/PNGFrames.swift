/// The frames of an APNG.
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
      hidesOthers: frame.disposal != .restore && !blends(frame) && isWhole(frame.area))
  }

  func draw(
    _ index: Int, onto canvas: PixelCanvas, isFresh: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> DrawnFrame {
    let frame = frames[index]
    if isFresh { canvas.clear() }
    // The first frame is the still image, including hidden colours of transparent pixels: it does not blend.
    let blends = index > 0 && blends(frame)
    let outcome = try PNGPixelReader(file.bytes, file.structure, watch: watch)
      .read(frame, onto: canvas, blends: blends)
    if let refusal = outcome.refusal(under: file.options) { throw refusal }
    // The first frame has no predecessor to show in its place.
    if index == 0, outcome.rows == 0, let failure = outcome.failure { throw failure }
    let fills = outcome.failure == nil && isWhole(frame.area)
    return DrawnFrame(
      flaws: outcome.flaws, isOpaque: fills && !file.structure.hasAlpha, coversCanvas: fills && !blends)
  }

  /// Returns true if previous pixels show through transparent pixels of a frame.
  private func blends(_ frame: PNGFrame) -> Bool { frame.blend == .over && file.structure.hasAlpha }
}
