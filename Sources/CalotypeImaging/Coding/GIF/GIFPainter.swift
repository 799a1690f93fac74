import CGIF

/// Decodes frames of one GIF and paints them onto an RGBA canvas.
struct GIFPainter {
  /// All bytes that the structure was read from.
  let file: UnsafeRawBufferPointer
  /// What blocks there are.
  let structure: GIFStructure
  /// Paint what can be decoded of a damaged frame instead of throwing.
  let allowsPartial: Bool
  /// Where the palette indices of a frame are kept while it is painted.
  var pool = PixelPool.shared

  /// What was painted.
  struct Outcome {
    /// Whether every pixel of the frame was there.
    var isComplete: Bool
    /// Whether every pixel of the canvas is opaque now, as far as this frame alone tells.
    var coversCanvas: Bool
  }

  /// The part of a frame that lies on the canvas: columns and rows of the canvas, empty if there are none.
  func visibleArea(of frame: GIFFrame) -> (columns: Range<Int>, rows: Range<Int>) {
    let right = min(frame.x + frame.size.width, structure.canvas.width)
    let bottom = min(frame.y + frame.size.height, structure.canvas.height)
    return (min(frame.x, right)..<right, min(frame.y, bottom)..<bottom)
  }

  /// Paints a frame onto `canvas`, four bytes a pixel, 4-byte aligned, the whole canvas.
  ///
  /// - Parameter isFresh: The canvas holds nothing yet, not even zeros: what the frame leaves out becomes transparent.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  func paint(
    _ frame: GIFFrame, onto canvas: UnsafeMutableRawBufferPointer, isFresh: Bool
  ) throws(ImagingError) -> Outcome {
    let area = visibleArea(of: frame)
    guard frame.size.width > 0, frame.size.height > 0 else {
      if isFresh { clear(canvas) }
      return Outcome(isComplete: true, coversCanvas: false)
    }
    let capacity = frame.size.pixelCount
    let byteCount = capacity + Int(CGIF_LZW_SLACK)
    guard let indices = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    defer { pool.giveBack(indices) }

    let written = try decode(frame, into: indices, capacity: capacity)
    let isComplete = written == capacity
    let fills =
      isComplete && area.columns == 0..<structure.canvas.width && area.rows == 0..<structure.canvas.height
    if isFresh && !fills { clear(canvas) }
    let showsThrough = try paint(
      indices, count: written, of: frame, area: area, onto: canvas, replaces: isFresh)
    return Outcome(isComplete: isComplete, coversCanvas: fills && !showsThrough)
  }

  /// Decodes palette indices in stored row order; returns how many there are.
  private func decode(
    _ frame: GIFFrame, into indices: UnsafeMutableRawBufferPointer, capacity: Int
  ) throws(ImagingError) -> Int {
    guard let codeSize = frame.minimumCodeSize else { throw .truncated(.gif, byteCount: file.count) }
    guard (1...8).contains(codeSize) else {
      throw .corrupt(
        .gif, reason: "the LZW code size is \(codeSize), not 1 to 8", offset: frame.dataStart - 1)
    }
    guard let source = file.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let target = indices.baseAddress?.assumingMemoryBound(to: UInt8.self)
    else { return 0 }
    let lzw = UnsafeMutablePointer<cgif_lzw>.allocate(capacity: 1)
    defer { lzw.deallocate() }
    cgif_lzw_start(lzw, UInt32(codeSize))

    var offset = frame.dataStart
    var status = CGIF_LZW_MORE
    var blockCount = 0
    var endsEarly = true
    while status == CGIF_LZW_MORE, offset < file.count {
      let length = file[offset]
      offset += 1
      if length == 0 {
        endsEarly = false
        break
      }
      blockCount += 1
      if blockCount & 63 == 0, Task.isCancelled { throw .cancelled }
      let count = min(Int(length), file.count - offset)
      status = cgif_lzw_feed(lzw, source + offset, count, target, capacity)
      offset += count
    }

    let written = lzw.pointee.written
    if written == capacity || (allowsPartial && written > 0) { return written }
    switch status {
    case CGIF_LZW_BAD_CODE:
      throw .corrupt(.gif, reason: "there is an LZW code that nothing defines", offset: offset)
    case CGIF_LZW_MORE where endsEarly:
      throw .truncated(.gif, byteCount: file.count)
    default:
      throw .corrupt(.gif, reason: "the frame ends after \(written) of \(capacity) pixels", offset: offset)
    }
  }

  /// Paints the first `count` indices; returns whether any pixel of the frame is transparent.
  private func paint(
    _ indices: UnsafeMutableRawBufferPointer, count: Int, of frame: GIFFrame,
    area: (columns: Range<Int>, rows: Range<Int>), onto canvas: UnsafeMutableRawBufferPointer, replaces: Bool
  ) throws(ImagingError) -> Bool {
    guard let source = indices.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let target = canvas.baseAddress?.assumingMemoryBound(to: UInt32.self), !area.columns.isEmpty
    else { return false }
    let palette = palette(of: frame)
    let width = frame.size.width
    var showsThrough = false
    var storedRow = 0
    for pass in Self.passes(isInterlaced: frame.isInterlaced) {
      for row in stride(from: pass.first, to: frame.size.height, by: pass.step) {
        let start = storedRow * width
        storedRow += 1
        guard start < count else { return showsThrough }
        guard area.rows.contains(frame.y + row) else { continue }
        if row & 63 == 0, Task.isCancelled { throw .cancelled }
        let pixels = min(area.columns.count, count - start)
        let output = target + (frame.y + row) * structure.canvas.width + frame.x
        guard let transparent = frame.transparentIndex else {
          cgif_paint(output, source + start, pixels, palette)
          continue
        }
        if !showsThrough {
          showsThrough = UnsafeBufferPointer(start: source + start, count: pixels).contains(transparent)
        }
        if replaces {
          cgif_paint(output, source + start, pixels, palette)
        } else {
          cgif_paint_over(output, source + start, pixels, palette, transparent)
        }
      }
    }
    return showsThrough
  }

  /// 256 pixels in memory order. Indices beyond the palette are black; without any palette, a ramp of greys.
  private func palette(of frame: GIFFrame) -> [UInt32] {
    var colors = [UInt32](repeating: Self.color(0, 0, 0), count: 256)
    if let range = frame.palette {
      for i in 0..<min(256, range.count / 3) {
        let at = range.lowerBound + 3 * i
        guard at + 3 <= file.count else { break }
        colors[i] = Self.color(file[at], file[at + 1], file[at + 2])
      }
    } else {
      for i in 0..<256 { colors[i] = Self.color(UInt8(i), UInt8(i), UInt8(i)) }
    }
    if let transparent = frame.transparentIndex { colors[Int(transparent)] = 0 }
    return colors
  }

  private static func color(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
    (UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 255 << 24).littleEndian
  }

  /// The first row and the step of each pass (GIF89a specification, appendix E).
  private static func passes(isInterlaced: Bool) -> [(first: Int, step: Int)] {
    isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
  }

  private func clear(_ canvas: UnsafeMutableRawBufferPointer) {
    canvas.initializeMemory(as: UInt8.self, repeating: 0)
  }
}
