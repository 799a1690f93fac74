/// Quarter turns and mirrors of a picture, one after the other, as one orientation.
struct PictureTurns {
  // The images of the unit vectors, x to the right and y downwards.
  private var x = (x: 1, y: 0)
  private var y = (x: 0, y: 1)

  /// Turns the picture counter-clockwise.
  mutating func rotate(quarters: Int) {
    for _ in 0..<(quarters & 3) {
      x = (x.y, -x.x)
      y = (y.y, -y.x)
    }
  }

  /// Exchanges left and right, or top and bottom.
  mutating func mirror(leftRight: Bool) {
    if leftRight {
      (x.x, y.x) = (-x.x, -y.x)
    } else {
      (x.y, y.y) = (-x.y, -y.y)
    }
  }

  /// A Boolean value that indicates whether width and height have been exchanged so far.
  var swapsAxes: Bool { x.x == 0 }

  /// Returns the part of the unturned picture that becomes a part of the turned one.
  func unturned(_ part: PixelRectangle, of turned: PixelSize) -> PixelRectangle {
    let right = turned.width - part.extent.width
    let bottom = turned.height - part.extent.height
    return swapsAxes
      ? PixelRectangle(x: x.y > 0 ? part.y : bottom, y: y.x > 0 ? part.x : right, size: part.size.transposed)
      : PixelRectangle(x: x.x > 0 ? part.x : right, y: y.y > 0 ? part.y : bottom, size: part.size)
  }

  /// The orientation that has the same effect.
  var orientation: Orientation {
    switch (x.x, x.y, y.x, y.y) {
    case (-1, 0, 0, 1): .topRight
    case (-1, 0, 0, -1): .bottomRight
    case (1, 0, 0, -1): .bottomLeft
    case (0, 1, 1, 0): .leftTop
    case (0, 1, -1, 0): .rightTop
    case (0, -1, -1, 0): .rightBottom
    case (0, -1, 1, 0): .leftBottom
    default: .topLeft
    }
  }
}
