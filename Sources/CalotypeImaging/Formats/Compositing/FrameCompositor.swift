/// A compositor of the frames of an animation, with one canvas, and a backup while a frame is to be restored.
///
/// The canvas starts transparent. Frames can be requested in any order; a frame costs the frames since the last one
/// shown, or since the last one that depends on no frame before it. Not `Sendable`: one thread at a time.
final class FrameCompositor {
  private let pool: PixelPool
  private let clock: DecodeLimits.PassStopwatch
  private var canvas: PixelCanvas?
  private var backup: PixelCanvas?
  /// The frame on the canvas, which is not disposed of yet; `nil` before the first.
  private var current: Int?
  /// The frame that was drawn on an empty canvas.
  private var first = 0
  private var state = State()
  private var backupState = State()

  /// The facts about the pixels on a canvas.
  private struct State {
    var isOpaque = false
    var flaws: DamageReport = []
  }

  /// The flaws of the pixels on the canvas.
  var flaws: DamageReport { state.flaws }

  /// Creates a compositor, which allocates its canvas for the first frame.
  init(_ limits: DecodeLimits, pool: PixelPool = .shared) {
    clock = DecodeLimits.PassStopwatch(limits)
    self.pool = pool
  }

  /// Returns the canvas after frame `index` was drawn, before its disposal. The time limit holds for a pass over
  /// frames.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such frame,
  ///   ``ImagingError/outOfMemory(byteCount:)``, and the errors of the frames on the way. After an error the next call
  ///   starts afresh.
  func bitmap(at index: Int, of frames: some AnimationFrames) throws(ImagingError) -> Bitmap {
    guard index >= 0, index < frames.frameCount else {
      throw .invalidParameter(
        name: "frame", reason: "there is no frame \(index); there are \(frames.frameCount)")
    }
    let canvas = try allocated(&canvas, for: frames)
    if current != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        var next = start(for: index, in: frames)
        while next <= index {
          let isFresh = current == nil
          let isWhole = try draw(next, of: frames, onto: canvas, watch)
          if isFresh, !isWhole, next > 0, !frames.clearsBefore(next) {
            // Missing pixels of a damaged frame leave the previous pixels visible.
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

  /// Returns a canvas, which is allocated once.
  private func allocated(
    _ canvas: inout PixelCanvas?, for frames: some AnimationFrames
  ) throws(ImagingError) -> PixelCanvas {
    if let canvas { return canvas }
    let new = try PixelCanvas(size: frames.canvasSize, format: frames.pixelFormat, pool: pool)
    canvas = new
    return new
  }

  /// Returns the frame to draw next on the way to `index`; discards the canvas if it is of no use for that.
  private func start(for index: Int, in frames: some AnimationFrames) -> Int {
    var start = index
    while start > 0, start - 1 != current, !frames.isIndependent(start) { start -= 1 }
    if start - 1 != current { current = nil }
    return start
  }

  /// Draws a frame; returns true if it has all of its pixels.
  private func draw(
    _ index: Int, of frames: some AnimationFrames, onto canvas: PixelCanvas,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let layout = frames.layout(of: index)
    let isFresh = current == nil
    if let current {
      dispose(of: current, in: frames, on: canvas)
    } else {
      first = index
      state = State()
    }
    // An error leaves the canvas between the old and the new state.
    current = nil
    try watch.check()
    // The canvas before the first frame was transparent; restoring it needs no backup.
    if layout.disposal == .restore, !isFresh {
      try allocated(&backup, for: frames).copy(layout.area, from: canvas)
      backupState = state
    }
    let drawn = try frames.draw(index, onto: canvas, isFresh: isFresh, watch: watch)
    if let isOpaque = drawn.isOpaque { state.isOpaque = isOpaque }
    if drawn.coversCanvas { state.flaws = [] }
    state.flaws.formUnion(drawn.flaws)
    current = index
    return drawn.flaws.isEmpty
  }

  private func dispose(of index: Int, in frames: some AnimationFrames, on canvas: PixelCanvas) {
    let layout = frames.layout(of: index)
    switch layout.disposal {
    case .keep: break
    case .restore where index != first:
      if let backup { canvas.copy(layout.area, from: backup) }
      state = backupState
    case .clear, .restore:
      canvas.clear(layout.area)
      if layout.area.size.pixelCount > 0 { state.isOpaque = false }
      if layout.disposal == .restore || frames.isWhole(layout.area) { state.flaws = [] }
    }
  }
}
