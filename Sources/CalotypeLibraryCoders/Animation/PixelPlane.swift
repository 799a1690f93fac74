import CalotypeImaging

/// The pixels of a canvas in memory of the caller. Access to rows checks bounds: a rectangle outside of the canvas
/// traps instead of reaching other memory.
struct PixelPlane {
  let size: PixelSize
  let bytesPerPixel: Int
  private let bytes: UnsafeMutableRawBufferPointer

  /// Creates a plane; `bytes` holds at least the pixels of `size`.
  init(_ bytes: UnsafeMutableRawBufferPointer, size: PixelSize, bytesPerPixel: Int) {
    precondition(bytes.count >= size.pixelCount * bytesPerPixel)
    self.bytes = bytes
    self.size = size
    self.bytesPerPixel = bytesPerPixel
  }

  /// Returns pixels of a row from column `x` on.
  func row(_ y: Int, from x: Int = 0, count: Int) -> UnsafeMutableRawBufferPointer {
    precondition(y >= 0 && y < size.height && x >= 0 && count >= 0 && x + count <= size.width)
    let start = (y * size.width + x) * bytesPerPixel
    return UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + count * bytesPerPixel])
  }

  /// All pixels.
  var all: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: bytes[..<(size.pixelCount * bytesPerPixel)])
  }

  /// Fills a rectangle with transparent black.
  func clear(_ area: FrameArea) {
    for y in area.rows {
      row(y, from: area.x, count: area.size.width).initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Copies a rectangle from a plane of the same size.
  func copy(_ area: FrameArea, from other: PixelPlane) {
    for y in area.rows {
      row(y, from: area.x, count: area.size.width)
        .copyMemory(from: UnsafeRawBufferPointer(other.row(y, from: area.x, count: area.size.width)))
    }
  }
}

/// The part of a frame that lies on its canvas.
struct FrameArea: Hashable, Sendable {
  let x: Int
  let y: Int
  let size: PixelSize

  var rows: Range<Int> { y..<y + size.height }

  /// Creates a rectangle that lies completely on the canvas.
  init(x: Int, y: Int, size: PixelSize) {
    (self.x, self.y, self.size) = (x, y, size)
  }

  /// Creates the intersection of a rectangle with `canvas`; its size is zero if it is empty.
  init(x: Int, y: Int, size: PixelSize, clippedTo canvas: PixelSize) {
    let (left, top) = (min(x, canvas.width), min(y, canvas.height))
    let width = max(0, min(size.width, canvas.width - left))
    let height = max(0, min(size.height, canvas.height - top))
    let isEmpty = width == 0 || height == 0
    self.init(
      x: left, y: top, size: PixelSize(width: isEmpty ? 0 : width, height: isEmpty ? 0 : height))
  }

  /// Returns true if the area is all of the canvas.
  func covers(_ canvas: PixelSize) -> Bool { x == 0 && y == 0 && size == canvas }
}
