/// A compositor of the frames of an APNG, with one canvas, and a backup while a frame requires one.
///
/// The canvas starts transparent (APNG 1.0, "Output buffer"). Not thread-safe.
final class PNGCompositor {
  private let clock: DecodeLimits.PassStopwatch
  private var canvas: PNGCanvas?
  private var backup: PNGCanvas?
  /// The frame that was drawn last and is not disposed of yet.
  private var drawn: Int?
  /// A Boolean value that indicates whether all pixels of that frame are present.
  private var isWhole = true
  /// The flaws of the pixels on the canvas.
  private(set) var flaws: DamageReport = []
  private var backupFlaws: DamageReport = []

  init(_ limits: DecodeLimits) {
    clock = DecodeLimits.PassStopwatch(limits)
  }

  /// Returns the canvas after frame `index` was drawn, before its disposal. The time limit holds for a pass over
  /// frames.
  ///
  /// The frame that follows the last one costs one frame; any other at most all frames since the last that covers the
  /// canvas.
  ///
  /// - Throws: The errors of the frames on the way, unless partial frames are allowed.
  func frame(at index: Int, of file: PNGFile) throws(ImagingError) -> Bitmap {
    let frames = file.structure.animation?.frames ?? []
    guard frames.indices.contains(index) else {
      throw .invalidParameter(name: "index", reason: "there is no frame \(index) of \(frames.count)")
    }
    let canvas: PNGCanvas
    if let old = self.canvas { canvas = old } else { canvas = try self.canvas(of: file) }
    self.canvas = canvas
    if drawn != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        try draw(upTo: index, frames, file, on: canvas, watch)
      }
    }
    return try canvas.copied(isOpaque: isWhole && covers(frames[index], file) && !file.structure.hasAlpha)
  }

  /// Draws a frame and the preceding frames that it needs and that are not on the canvas yet.
  private func draw(
    upTo index: Int, _ frames: [PNGFrame], _ file: PNGFile, on canvas: PNGCanvas,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    var start = restart(for: index, frames, file)
    var next = (drawn ?? -1) + 1
    var isFresh = drawn == nil || next > index + 1 || start > next
    while next <= index || isFresh {
      if isFresh {
        canvas.clear()
        flaws = []
        drawn = nil
        next = start
      }
      try draw(next, frames, file, on: canvas, watch)
      // Missing pixels of a damaged frame leave the previous pixels visible.
      isFresh = isFresh && start > 0 && !isWhole
      if isFresh { start = restart(for: start - 1, frames, file) }
      next += 1
    }
  }

  /// Returns the last frame up to `index` that hides all frames before it for good; otherwise the first.
  private func restart(for index: Int, _ frames: [PNGFrame], _ file: PNGFile) -> Int {
    for candidate in stride(from: index, to: 0, by: -1) where isIndependent(frames[candidate], file) {
      return candidate
    }
    return 0
  }

  /// Returns true if no pixels of earlier frames are visible in this one or later.
  func isIndependent(_ index: Int, of file: PNGFile) -> Bool {
    guard let frames = file.structure.animation?.frames, frames.indices.contains(index) else { return false }
    return index == 0 || isIndependent(frames[index], file)
  }

  private func isIndependent(_ frame: PNGFrame, _ file: PNGFile) -> Bool {
    covers(frame, file) && (frame.blend == .source || !file.structure.hasAlpha) && frame.disposal != .restore
  }

  private func canvas(of file: PNGFile) throws(ImagingError) -> PNGCanvas {
    try PNGCanvas(size: file.structure.header.size, format: file.format)
  }

  private func covers(_ frame: PNGFrame, _ file: PNGFile) -> Bool {
    frame.area == PNGArea(file.structure.header.size)
  }

  private func draw(
    _ index: Int, _ frames: [PNGFrame], _ file: PNGFile, on canvas: PNGCanvas,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    if let drawn { dispose(frames[drawn], isFirst: drawn == 0, file, on: canvas) }
    let frame = frames[index]
    // An error leaves the canvas between the old and the new state.
    drawn = nil
    // The first frame has no predecessor to restore.
    if frame.disposal == .restore, index > 0 {
      let backup: PNGCanvas
      if let old = self.backup { backup = old } else { backup = try self.canvas(of: file) }
      self.backup = backup
      backup.copy(frame.area, from: canvas)
      backupFlaws = flaws
    }
    // The first frame is the still image, including hidden colours of transparent pixels: it does not blend.
    let blends = index > 0 && frame.blend == .over && file.structure.hasAlpha
    let outcome = try PNGPixelReader(file.bytes, file.structure, watch: watch)
      .read(frame, onto: canvas, blends: blends)
    if let refusal = outcome.refusal(under: file.options) { throw refusal }
    // The first frame has no predecessor to show in its place.
    if index == 0, outcome.rows == 0, let failure = outcome.failure { throw failure }
    isWhole = outcome.failure == nil
    if isWhole, !blends, covers(frame, file) { flaws = [] }
    flaws.formUnion(outcome.flaws)
    drawn = index
  }

  private func dispose(_ frame: PNGFrame, isFirst: Bool, _ file: PNGFile, on canvas: PNGCanvas) {
    switch frame.disposal {
    case .restore where !isFirst:
      if let backup { canvas.copy(frame.area, from: backup) }
      flaws = backupFlaws
    case .clear, .restore:
      canvas.clear(frame.area)
      // The canvas before the first frame was clear.
      if covers(frame, file) || frame.disposal == .restore { flaws = [] }
    case .keep: break
    }
  }
}
