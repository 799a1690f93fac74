import Glibc

/// A rectangle of whole pixels.
struct PixelRectangle: Hashable, Sendable {
  /// The first column and row.
  var x: Int
  var y: Int
  var size: PixelSize

  /// Creates a rectangle that is known to lie within the picture.
  init(x: Int, y: Int, size: PixelSize) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// The size of the smallest picture that holds the rectangle.
  var extent: PixelSize { PixelSize(width: x + size.width, height: y + size.height) }

  /// Creates the rectangle of a whole picture.
  init(_ size: PixelSize) { self.init(x: 0, y: 0, size: size) }

  /// Creates the intersection of these edges with a picture of `size`; `nil` if it is empty.
  init?(left: Int, top: Int, right: Int, bottom: Int, in size: PixelSize) {
    x = max(0, left)
    y = max(0, top)
    self.size = PixelSize(width: 0, height: 0)
    guard min(right, size.width) > x, min(bottom, size.height) > y else { return nil }
    self.size = PixelSize(width: min(right, size.width) - x, height: min(bottom, size.height) - y)
  }
}

extension Bitmap {
  /// Returns the pixels of a rectangle within this rgba8 bitmap; the bitmap itself if the rectangle is all of it.
  func cropped(to rectangle: PixelRectangle) throws(ImagingError) -> Bitmap {
    let size = rectangle.size
    if size == self.size { return self }
    let width = width
    return try mapRows(to: size, isOpaque: isOpaque) { source, target, rows in
      for row in rows {
        memcpy(
          target + 4 * row * size.width, source + 4 * ((rectangle.y + row) * width + rectangle.x),
          4 * size.width)
      }
    }
  }
}
