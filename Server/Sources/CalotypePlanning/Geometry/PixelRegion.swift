public import CalotypeImaging

/// A rectangle of whole pixels within a picture.
public struct PixelRegion: Hashable, Sendable {
  /// The upper left corner.
  public var origin: PixelPoint
  /// The width and height, each at least 1.
  public var size: PixelSize

  /// Creates a rectangle.
  public init(origin: PixelPoint, size: PixelSize) {
    self.origin = origin
    self.size = size
  }

  /// Creates a rectangle from its numbers.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(origin: PixelPoint(x: x, y: y), size: PixelSize(width: width, height: height))
  }

  /// Returns true if the rectangle has pixels, and all of them lie in a picture of this size.
  public func lies(in picture: PixelSize) -> Bool {
    origin.x >= 0 && origin.y >= 0 && size.width > 0 && size.height > 0
      && origin.x <= picture.width - size.width && origin.y <= picture.height - size.height
  }
}
