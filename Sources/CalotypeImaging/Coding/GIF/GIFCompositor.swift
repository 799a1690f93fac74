/// Composites the frames of a GIF one after the other: one canvas, and a backup while a frame asks for one.
///
/// The canvas starts transparent and background colours are ignored, as in browsers. Not `Sendable`: one walk
/// over an animation, by one task.
final class GIFCompositor {
  /// Frames painted so far.
  private(set) var position = 0
  /// Whether a painted frame was damaged; only where partial frames are allowed.
  private(set) var isPartial = false

  private let structure: GIFStructure
  private let allowsPartial: Bool
  private let pool: PixelPool
  private let canvas: UnsafeMutableRawBufferPointer
  private var backup: UnsafeMutableRawBufferPointer?

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  init(_ structure: GIFStructure, allowsPartial: Bool, pool: PixelPool = .shared) throws(ImagingError) {
    self.structure = structure
    self.allowsPartial = allowsPartial
    self.pool = pool
    canvas = try Self.take(structure.canvas, from: pool)
  }

  deinit {
    pool.giveBack(canvas)
    if let backup { pool.giveBack(backup) }
  }

  /// Paints the next frame; returns `false` after the last. `file` is what the structure was read from.
  func advance(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> Bool {
    guard position < structure.frames.count else { return false }
    let frame = structure.frames[position]
    let painter = GIFPainter(file: file, structure: structure, allowsPartial: allowsPartial, pool: pool)
    if position > 0 { dispose(structure.frames[position - 1], painter: painter) }
    if frame.disposal == .restore, position > 0 {
      let backup: UnsafeMutableRawBufferPointer
      if let old = self.backup { backup = old } else { backup = try Self.take(structure.canvas, from: pool) }
      self.backup = backup
      copy(painter.visibleArea(of: frame), from: canvas, to: backup)
    }
    let outcome = try painter.paint(frame, onto: canvas, isFresh: position == 0)
    isPartial = isPartial || !outcome.isComplete
    position += 1
    return true
  }

  /// The canvas as it is now. Before the first ``advance(_:)`` there is none.
  func snapshot() throws(ImagingError) -> Bitmap {
    guard position > 0 else {
      throw .invalidParameter(name: "position", reason: "no frame has been painted yet")
    }
    return try Bitmap(size: structure.canvas, pool: pool) { pixels in
      pixels.copyMemory(from: UnsafeRawBufferPointer(rebasing: canvas[..<pixels.count]))
      return false
    }
  }

  private func dispose(_ frame: GIFFrame, painter: GIFPainter) {
    let area = painter.visibleArea(of: frame)
    switch frame.disposal {
    case .keep: break
    case .clear: clear(area)
    case .restore:
      // Before the first frame the canvas was transparent; no backup is needed for that.
      if position == 1 { clear(area) } else if let backup { copy(area, from: backup, to: canvas) }
    }
  }

  private func clear(_ area: (columns: Range<Int>, rows: Range<Int>)) {
    forEachRow(of: area) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: canvas[bytes]).initializeMemory(as: UInt8.self, repeating: 0)
    }
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
      let start = row * structure.canvas.width
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
