import CGIF

/// A painter of the decoded indices of a frame onto an RGBA canvas.
struct GIFPainter {
  /// The file, at least up to the end of the palette.
  let file: UnsafeRawBufferPointer
  /// The size of the canvas.
  let canvas: PixelSize
  /// The frame.
  let frame: GIFFrame
  /// The visible part of the frame on the canvas.
  let area: (columns: Range<Int>, rows: Range<Int>)

  /// The treatment of pixels that a frame does not paint.
  enum Ground {
    /// They keep their value.
    case kept
    /// The canvas is not initialised: they become transparent.
    case fresh
    /// As ``fresh``, and rows of later passes of an interlaced frame repeat the row above.
    case preview
  }

  init(_ frame: GIFFrame, of structure: GIFStructure, file: UnsafeRawBufferPointer) {
    self.file = file
    self.frame = frame
    canvas = structure.canvas
    area = structure.visibleArea(of: frame)
  }

  /// Paints `indices`, rows in stored order, onto `pixels`: the whole canvas with four bytes per pixel, 4-byte aligned.
  ///
  /// Returns true if this frame alone makes every pixel of the canvas opaque.
  func paint(
    _ indices: UnsafeBufferPointer<UInt8>, onto pixels: UnsafeMutableRawBufferPointer, ground: Ground
  ) -> Bool {
    let isWhole = indices.count == frame.size.pixelCount
    let fills = isWhole && area == (0..<canvas.width, 0..<canvas.height)
    if ground != .kept, !fills { pixels.initializeMemory(as: UInt8.self, repeating: 0) }
    guard let source = indices.baseAddress, let base = pixels.baseAddress, !area.columns.isEmpty else {
      return false
    }
    let target = base.assumingMemoryBound(to: UInt32.self)
    let colors = colors
    let width = frame.size.width
    var showsThrough = false
    var storedRow = 0
    for pass in Self.passes(isInterlaced: frame.isInterlaced) {
      for row in stride(from: pass.first, to: frame.size.height, by: pass.step) {
        let start = storedRow * width
        storedRow += 1
        guard start < indices.count else { return fills && !showsThrough }
        guard area.rows.contains(frame.y + row) else { continue }
        let count = min(area.columns.count, indices.count - start)
        let output = target + (frame.y + row) * canvas.width + frame.x
        // This comes first, because the pixels of the last rows may overlap their indices.
        if fills, !showsThrough, let transparent = frame.transparentIndex {
          showsThrough = UnsafeBufferPointer(start: source + start, count: count).contains(transparent)
        }
        if ground == .kept, let transparent = frame.transparentIndex {
          cgif_paint_over(output, source + start, count, colors, transparent)
        } else {
          cgif_paint(output, source + start, count, colors)
        }
        if ground == .preview, pass.height > 1, count == area.columns.count {
          for copy in 1..<pass.height where area.rows.contains(frame.y + row + copy) {
            (output + copy * canvas.width).update(from: output, count: count)
          }
        }
      }
    }
    return fills && !showsThrough
  }

  /// 256 pixels in memory order. Indices beyond the palette are black; without a palette, a ramp of greys.
  private var colors: [UInt32] {
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

  /// Returns the number of passes of a frame that so many pixels complete; passes without rows do not count.
  static func completePasses(of frame: GIFFrame, pixelCount: Int) -> Int {
    var (count, rest) = (0, pixelCount)
    for pass in passes(isInterlaced: frame.isInterlaced) {
      let rows = stride(from: pass.first, to: frame.size.height, by: pass.step).underestimatedCount
      guard rows > 0, frame.size.width > 0 else { continue }
      rest -= rows * frame.size.width
      guard rest >= 0 else { break }
      count += 1
    }
    return count
  }

  /// Returns the first row and step of each pass (GIF89a specification, appendix E), and the distance to the next known
  /// row.
  private static func passes(isInterlaced: Bool) -> [(first: Int, step: Int, height: Int)] {
    isInterlaced ? [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)] : [(0, 1, 1)]
  }
}
