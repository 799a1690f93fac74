/// Composites the frames of an APNG: one canvas, and a backup while a frame asks for one.
///
/// The canvas starts transparent (APNG 1.0, "Output buffer"). Not thread-safe.
final class PNGCompositor {
  private let clock: DecodeLimits.PassStopwatch
  private var canvas: PNGCanvas?
  private var backup: PNGCanvas?
  /// The frame that was drawn last and not disposed of yet.
  private var drawn: Int?
  /// Whether no pixel of that frame is missing.
  private var isWhole = true
  /// What the pixels on the canvas lack.
  private(set) var flaws: DamageReport = []
  private var backupFlaws: DamageReport = []

  init(_ limits: DecodeLimits) {
    clock = DecodeLimits.PassStopwatch(limits)
  }

  /// The canvas after frame `index` was drawn, before it is disposed of. The time limit holds for a pass over frames.
  ///
  /// The frame after the last one costs itself; any other at most all since the last that covers the canvas.
  ///
  /// - Throws: what is wrong with the frames on the way, unless partial frames are allowed.
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

  /// Draws a frame and those before it that it needs and that are not on the canvas yet.
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
      // What a damaged frame lacks shows what was there before.
      isFresh = isFresh && start > 0 && !isWhole
      if isFresh { start = restart(for: start - 1, frames, file) }
      next += 1
    }
  }

  /// The last frame up to `index` that hides those before it for good; otherwise the first.
  private func restart(for index: Int, _ frames: [PNGFrame], _ file: PNGFile) -> Int {
    for candidate in stride(from: index, to: 0, by: -1) where isIndependent(frames[candidate], file) {
      return candidate
    }
    return 0
  }

  /// Whether nothing of the frames before this one can be seen in it or later.
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
    // After an error the canvas is neither the old nor the new one.
    drawn = nil
    // Before the first frame there is nothing to come back to.
    if frame.disposal == .restore, index > 0 {
      let backup: PNGCanvas
      if let old = self.backup { backup = old } else { backup = try self.canvas(of: file) }
      self.backup = backup
      backup.copy(frame.area, from: canvas)
      backupFlaws = flaws
    }
    // Under the first frame there is nothing: it is the still image, hidden colours of transparent pixels included.
    let blends = index > 0 && frame.blend == .over && file.structure.hasAlpha
    let outcome = try PNGPixelReader(file.bytes, file.structure, watch: watch)
      .read(frame, onto: canvas, blends: blends)
    if let refusal = outcome.refusal(under: file.options) { throw refusal }
    // There is nothing to show in place of the first.
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
      // Before the first frame the canvas was as good as new.
      if covers(frame, file) || frame.disposal == .restore { flaws = [] }
    case .keep: break
    }
  }
}
