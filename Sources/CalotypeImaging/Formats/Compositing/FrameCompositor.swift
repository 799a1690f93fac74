/// Composites the frames of an animation: one canvas, and a backup while a frame is to be restored.
///
/// The canvas starts transparent. Any frame can be asked for; it costs the frames since the last one shown, or since
/// the last one that hides all before it. Not `Sendable`: one thread at a time.
final class FrameCompositor {
  private let pool: PixelPool
  private let clock: DecodeLimits.PassStopwatch
  private var canvas: PixelCanvas?
  private var backup: PixelCanvas?
  /// The frame that the canvas shows; `nil` before the first.
  private var current: Int?
  /// The frame that was drawn on an empty canvas.
  private var first = 0
  private var state = State()
  private var backupState = State()

  private struct State {
    var isOpaque = false
    var flaws: DamageReport = []
  }

  /// What the pixels of the frame that was asked for last lack.
  var flaws: DamageReport { state.flaws }

  /// The canvas is taken from `pool` with the first frame.
  init(_ limits: DecodeLimits, pool: PixelPool = .shared) {
    clock = DecodeLimits.PassStopwatch(limits)
    self.pool = pool
  }

  /// Returns the canvas after a frame was drawn, before it is disposed of. The time limit holds for a pass over frames.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` when there is no such frame;
  ///   ``ImagingError/outOfMemory(byteCount:)``; what is wrong with the frames on the way, after which the next call
  ///   starts afresh.
  func bitmap(at index: Int, of frames: some AnimationFrames) throws(ImagingError) -> Bitmap {
    guard index >= 0, index < frames.frameCount else {
      throw .invalidParameter(
        name: "frame", reason: "there is no frame \(index); there are \(frames.frameCount)")
    }
    let canvas = try self.canvas ?? makeCanvas(for: frames)
    self.canvas = canvas
    if current != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        var next = start(for: index, in: frames)
        while next <= index {
          let isFresh = current == nil
          let isWhole = try draw(next, of: frames, onto: canvas, watch)
          if isFresh, next > 0, !isWhole, !frames.clearsBefore(next) {
            // What a damaged frame lacks shows what was there before.
            current = nil
            next = start(for: next - 1, in: frames)
          } else {
            next += 1
          }
        }
      }
    }
    return try canvas.copied(isOpaque: state.isOpaque)
  }

  private func makeCanvas(for frames: some AnimationFrames) throws(ImagingError) -> PixelCanvas {
    try PixelCanvas(size: frames.canvasSize, format: frames.pixelFormat, pool: pool)
  }

  /// The frame to draw next on the way to `index`; forgets the canvas if it is of no use for that.
  private func start(for index: Int, in frames: some AnimationFrames) -> Int {
    var start = index
    while start > 0, start - 1 != current, !frames.isIndependent(start) { start -= 1 }
    if start - 1 != current { current = nil }
    return start
  }

  /// Draws a frame; returns whether it has all its pixels.
  private func draw(
    _ index: Int, of frames: some AnimationFrames, onto canvas: PixelCanvas,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let layout = frames.layout(of: index)
    let isFresh = current == nil
    if let current {
      dispose(frames.layout(of: current), isFirst: current == first, of: frames, on: canvas)
    } else {
      first = index
      state = State()
    }
    // After an error the canvas is neither the old nor the new one.
    current = nil
    try watch.check()
    // Before the first frame the canvas was transparent; no backup is needed for that.
    if layout.disposal == .restore, !isFresh {
      let backup = try self.backup ?? makeCanvas(for: frames)
      self.backup = backup
      backup.copy(layout.area, from: canvas)
      backupState = state
    }
    let drawn = try frames.draw(index, onto: canvas, isFresh: isFresh, watch: watch)
    switch drawn.opacity {
    case .opaque: state.isOpaque = true
    case .unchanged: break
    case .unknown: state.isOpaque = false
    }
    if drawn.coversCanvas { state.flaws = [] }
    state.flaws.formUnion(drawn.flaws)
    current = index
    return drawn.flaws.isEmpty
  }

  private func dispose(
    _ layout: FrameLayout, isFirst: Bool, of frames: some AnimationFrames, on canvas: PixelCanvas
  ) {
    switch layout.disposal {
    case .keep: break
    case .restore where !isFirst:
      guard let backup else { return }
      canvas.copy(layout.area, from: backup)
      state = backupState
    case .clear, .restore:
      canvas.clear(layout.area)
      if layout.area.size.pixelCount > 0 { state.isOpaque = false }
      if frames.isWhole(layout.area) || layout.disposal == .restore { state.flaws = [] }
    }
  }
}
