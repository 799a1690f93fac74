/// A compositor of the frames of an animated WebP (RFC 9649, 2.7.1.1) on one canvas.
///
/// The canvas starts transparent and background colours are ignored, as in browsers. Frames can be requested in any
/// order; a frame costs the frames since the last one shown, or since the last one that depends on no frame before it.
/// Not `Sendable`: one thread at a time.
final class WebPCompositor {
  /// The frame on the canvas; `nil` before the first.
  private(set) var current: Int?

  private let size: PixelSize
  private let allowsPartial: Bool
  private let pool: PixelPool
  private let clock: DecodeLimits.PassStopwatch
  private let buffer: UnsafeMutableRawBufferPointer
  private let canvas: UnsafeMutableRawBufferPointer
  private var isOpaque = false
  /// A Boolean value that indicates whether the canvas lacks pixels because frames are damaged.
  private(set) var isPartial = false

  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  init(
    canvas size: PixelSize, allowsPartial: Bool, limits: DecodeLimits, pool: PixelPool = .shared
  ) throws(ImagingError) {
    self.size = size
    clock = DecodeLimits.PassStopwatch(limits)
    self.allowsPartial = allowsPartial
    self.pool = pool
    let byteCount = size.pixelCount * 4
    guard let buffer = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    canvas = UnsafeMutableRawBufferPointer(rebasing: buffer[..<byteCount])
    self.buffer = buffer
  }

  deinit {
    pool.giveBack(buffer)
  }

  /// Returns the canvas after frame `index`, before its disposal. `file` is the source of the structure. The time limit
  /// holds for a pass over frames.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such frame, and the errors of the frames
  ///   on the way. After an error the next call starts afresh.
  func bitmap(
    at index: Int, of structure: WebPStructure, file: UnsafeRawBufferPointer
  ) throws(ImagingError) -> Bitmap {
    guard structure.frames.indices.contains(index) else {
      throw .invalidParameter(
        name: "frame", reason: "there is no frame \(index); there are \(structure.frames.count)")
    }
    if current != index {
      try clock.run(to: index) { (watch) throws(ImagingError) in
        var next = start(for: index, in: structure)
        while next <= index {
          try paint(next, of: structure, file: file, watch: watch)
          next += 1
        }
      }
    }
    return try Bitmap(size: size, pool: pool) { pixels in
      pixels.copyMemory(from: UnsafeRawBufferPointer(canvas))
      return isOpaque
    }
  }

  /// Returns the frame to paint next on the way to `index`; discards the canvas if it is of no use for that.
  private func start(for index: Int, in structure: WebPStructure) -> Int {
    var start = index
    while start > 0, start - 1 != current, !isIndependent(start, in: structure) { start -= 1 }
    if start - 1 != current { current = nil }
    return start
  }

  /// Returns true if no pixels of earlier frames are visible in this frame or later.
  func isIndependent(_ index: Int, in structure: WebPStructure) -> Bool {
    let before = structure.frames[index - 1]
    if before.clearsAfterwards, before.size == size { return true }
    let frame = structure.frames[index]
    // A damaged frame, where it is accepted, may lack pixels.
    return !allowsPartial && frame.size == size && (frame.replaces || !frame.hasAlpha)
  }

  private func paint(
    _ index: Int, of structure: WebPStructure, file: UnsafeRawBufferPointer,
    watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    let frame = structure.frames[index]
    let fills = frame.size == size
    // The first frame has nothing below it; its pixels, including transparent ones, are those of a still.
    let replaces = frame.replaces || !frame.hasAlpha || index == 0
    let isDirect = replaces && !allowsPartial
    if let current {
      let before = structure.frames[current]
      if before.clearsAfterwards {
        clear(before)
        isOpaque = false
        if before.size == size { isPartial = false }
      }
    } else {
      if !fills || !isDirect { canvas.initializeMemory(as: UInt8.self, repeating: 0) }
      isOpaque = false
      isPartial = false
    }
    current = nil
    try watch.check()
    let isComplete =
      // Missing rows of a damaged frame must preserve the pixels below.
      isDirect
      ? try decode(frame, file, watch: watch) : try overlay(frame, file, replaces: replaces, watch: watch)
    if !isComplete { isPartial = true }
    if isComplete, fills, !frame.hasAlpha {
      isOpaque = true
    } else if replaces, frame.hasAlpha {
      isOpaque = false
    }
    current = index
  }

  /// Decodes straight into the canvas.
  private func decode(
    _ frame: WebPFrame, _ file: UnsafeRawBufferPointer, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let target = try WebPFrameReader.Target(frame, onto: canvas, width: size.width)
    let reader = try WebPFrameReader(frame, into: target, pace: .whole)
    return try reader.finish(file, allowsPartial: false, watch: watch)
  }

  /// Decodes beside the canvas, then composites the decoded rows over it or replaces its rows by them.
  private func overlay(
    _ frame: WebPFrame, _ file: UnsafeRawBufferPointer, replaces: Bool, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bool {
    let byteCount = frame.size.pixelCount * 4
    guard let scratch = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    defer { pool.giveBack(scratch) }
    var atOrigin = frame
    atOrigin.x = 0
    atOrigin.y = 0
    let target = try WebPFrameReader.Target(atOrigin, onto: scratch, width: frame.size.width)
    let reader = try WebPFrameReader(atOrigin, into: target, pace: .whole)
    let isComplete = try reader.finish(file, allowsPartial: allowsPartial, watch: watch)
    guard let source = scratch.baseAddress, let base = canvas.baseAddress else { return false }
    for row in 0..<reader.rows {
      if row & 63 == 0 { try watch.check() }
      let output = base + 4 * ((frame.y + row) * size.width + frame.x)
      let input = source + 4 * row * frame.size.width
      if replaces {
        output.copyMemory(from: input, byteCount: 4 * frame.size.width)
      } else {
        WebPPixels.blend(input, over: output, count: frame.size.width)
      }
    }
    return isComplete
  }

  private func clear(_ frame: WebPFrame) {
    for row in frame.y..<frame.y + frame.size.height {
      let start = 4 * (row * size.width + frame.x)
      UnsafeMutableRawBufferPointer(rebasing: canvas[start..<start + 4 * frame.size.width])
        .initializeMemory(as: UInt8.self, repeating: 0)
    }
  }
}
