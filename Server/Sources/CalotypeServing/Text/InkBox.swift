import CalotypeImaging

/// The smallest rectangle that holds all pixels of a picture which are not fully transparent.
struct InkBox: Hashable, Sendable {
  /// The left edge.
  let left: Int
  /// The upper edge.
  let top: Int
  /// The size.
  let size: PixelSize

  /// Looks for ink; `nil` if there is none.
  init?(_ bitmap: Bitmap) {
    var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<bitmap.height {
        let row = y * bitmap.bytesPerRow
        for x in 0..<bitmap.width where bytes[row + 4 * x + 3] > 0 {
          left = min(left, x)
          right = max(right, x)
          top = min(top, y)
          bottom = y
        }
      }
    }
    guard right >= 0 else { return nil }
    (self.left, self.top) = (left, top)
    size = PixelSize(width: right - left + 1, height: bottom - top + 1)
  }

  /// Returns whether ink may be cut off by an edge of a canvas.
  func touchesEdge(of canvas: PixelSize) -> Bool {
    left == 0 || top == 0 || left + size.width >= canvas.width || top + size.height >= canvas.height
  }
}
