/// A compositor of the frames of a GIF, with one canvas, and a backup while a frame requires one.
///
/// The canvas starts transparent and background colours are ignored, as in browsers. Frames can be requested in any
/// order; a frame costs the frames since the last one shown, or since the last one that depends on no frame before it.
/// Not `Sendable`: one thread at a time.
final class GIFCompositor {
  /// The frame on the canvas; `nil` before the first.
  private(set) var current: Int?

  private let size: PixelSize
  private let options: DecodeOptions
  private let pool: PixelPool
  private let clock: DecodeLimits.PassStopwatch
  private let canvas: UnsafeMutableRawBufferPointer
  private var backup: UnsafeMutableRawBufferPointer?
  /// The frame that was painted on an empty canvas.
  private var first = 0
  private var isOpaque = false
  /// A Boolean value that indicates whether the last painted frame has all of its pixels.
  private var isWhole = true
  /// The flaws of the pixels on the canvas.
  private(set) var flaws: DamageReport = []
  private var backupState = (isOpaque: false, flaws: DamageReport())

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  init(
    canvas size: PixelSize, options: DecodeOptions, pool: PixelPool = .shared
  ) throws(ImagingError) {
    self.size = size
    clock = DecodeLimits.PassStopwatch(options.limits)
    self.options = options
    self.pool = pool
    canvas = try Self.take(size, from: pool)
  }

  deinit {
    pool.giveBack(canvas)
    if let backup { pool.giveBack(backup) }
  }

  /// Returns the canvas after frame `index`, before its disposal. `file` is the source of the structure. The time limit
  /// holds for a pass over frames.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such frame, and the errors of the frames
  ///   on the way. After an error the next call starts afresh.
  func bitmap(
    at index: Int, of structure: GIFStructure, file: UnsafeRawBufferPointer
  ) throws(ImagingError) -> Bitmap {
    guard structure.frames.indices.contains(index) else {
      throw .invalidParameter(
        name: "frame", reason: "there is no frame \(index); there are \(structure.frames.count)")
    }
    if current != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        var next = start(for: index, in: structure)
        while next <= index {
          let isFresh = current == nil
          try paint(next, of: structure, file: file, watch: watch)
          next += 1
          if isFresh, !isWhole, next > 1 {
            // Missing pixels of a damaged frame leave the previous pixels visible.
            current = nil
            next = start(for: next - 2, in: structure)
          }
        }
      }
    }
    return try Bitmap(size: size, pool: pool) { pixels in
      pixels.copyMemory(from: UnsafeRawBufferPointer(rebasing: canvas[..<pixels.count]))
      return isOpaque
    }
  }

  /// Returns the frame to paint next on the way to `index`; discards the canvas if it is of no use for that.
  private func start(for index: Int, in structure: GIFStructure) -> Int {
    var start = index
    while start > 0, start - 1 != current, !isIndependent(start, in: structure) { start -= 1 }
    if start - 1 != current { current = nil }
    return start
  }

  /// Returns true if no pixels of earlier frames are visible in this frame or later.
  func isIndependent(_ index: Int, in structure: GIFStructure) -> Bool {
    let before = structure.frames[index - 1]
    if before.disposal == .clear, structure.fillsCanvas(before) { return true }
    let frame = structure.frames[index]
    // A damaged frame lacks pixels, which is known once it is painted.
    return frame.disposal != .restore && frame.transparentIndex == nil
      && structure.fillsCanvas(frame)
  }

  private func paint(
    _ index: Int, of structure: GIFStructure, file: UnsafeRawBufferPointer,
    watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    let frame = structure.frames[index]
    let isFresh = current == nil
    if let current {
      dispose(current, of: structure)
    } else {
      first = index
      isOpaque = false
      flaws = []
    }
    current = nil
    isWhole = true
    try watch.check()
    if frame.disposal == .restore, !isFresh {
      let backup: UnsafeMutableRawBufferPointer
      if let old = self.backup { backup = old } else { backup = try Self.take(size, from: pool) }
      self.backup = backup
      backupState = (isOpaque, flaws)
      copy(structure.visibleArea(of: frame), from: canvas, to: backup)
    }
    if frame.size.pixelCount > 0 {
      let reader = try GIFFrameReader(frame, pool: pool)
      try reader.read(file, watch: watch)
      let lacks = try reader.finish(byteCount: file.count, options: options, mayBeEmpty: index > 0)
      isWhole = lacks.isEmpty
      let painter = GIFPainter(frame, of: structure, file: file)
      let covers = painter.paint(reader.decoded, onto: canvas, ground: isFresh ? .fresh : .kept)
      isOpaque = isOpaque || covers
      if covers { flaws = [] }
      flaws.formUnion(lacks)
    } else if isFresh {
      canvas.initializeMemory(as: UInt8.self, repeating: 0)
    }
    current = index
  }

  private func dispose(_ index: Int, of structure: GIFStructure) {
    let frame = structure.frames[index]
    let area = structure.visibleArea(of: frame)
    guard !area.columns.isEmpty, !area.rows.isEmpty else { return }
    switch frame.disposal {
    case .keep: break
    case .clear: clear(area)
    case .restore:
      // The canvas before the first frame was transparent; restoring it needs no backup.
      if index == first {
        clear(area)
        flaws = []
      } else if let backup {
        copy(area, from: backup, to: canvas)
        (isOpaque, flaws) = backupState
      }
    }
  }

  private func clear(_ area: (columns: Range<Int>, rows: Range<Int>)) {
    forEachRow(of: area) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: canvas[bytes]).initializeMemory(as: UInt8.self, repeating: 0)
    }
    isOpaque = false
    if area == (0..<size.width, 0..<size.height) { flaws = [] }
  }

  private func copy(
    _ area: (columns: Range<Int>, rows: Range<Int>), from source: UnsafeMutableRawBufferPointer,
    to target: UnsafeMutableRawBufferPointer
  ) {
    forEachRow(of: area) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: target[bytes])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[bytes]))
    }
  }

  private func forEachRow(of area: (columns: Range<Int>, rows: Range<Int>), _ body: (Range<Int>) -> Void) {
    guard !area.columns.isEmpty else { return }
    for row in area.rows {
      let start = row * size.width
      body(4 * (start + area.columns.lowerBound)..<4 * (start + area.columns.upperBound))
    }
  }

  private static func take(
    _ size: PixelSize, from pool: PixelPool
  ) throws(ImagingError) -> UnsafeMutableRawBufferPointer {
    let byteCount = size.pixelCount * 4
    guard let buffer = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    return buffer
  }
}
