extension Bitmap {
  /// A rectangle of a picture whose edges may lie between pixels.
  ///
  /// Pixel (0, 0) covers the square from (0, 0) to (1, 1).
  public struct Region: Hashable, Sendable {
    /// The left edge, in pixels from the left of the picture.
    public var x: Double
    /// The upper edge, in pixels from the top of the picture.
    public var y: Double
    /// The width in pixels.
    public var width: Double
    /// The height in pixels.
    public var height: Double

    /// Creates a region.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// All of a picture.
    public init(_ size: PixelSize) {
      self.init(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }

    /// The region with both axes exchanged.
    public var transposed: Bitmap.Region { Bitmap.Region(x: y, y: x, width: height, height: width) }

    /// The region in a picture whose pixels are larger or smaller: all numbers times `horizontal` or `vertical`.
    func scaled(horizontal: Double, vertical: Double) -> Bitmap.Region {
      Bitmap.Region(x: x * horizontal, y: y * vertical, width: width * horizontal, height: height * vertical)
    }

    /// The region without what sticks out of a picture of this size.
    func clipped(to size: PixelSize) -> Bitmap.Region {
      let left = max(0, x)
      let top = max(0, y)
      return Bitmap.Region(
        x: left, y: top, width: min(width, Double(size.width) - left),
        height: min(height, Double(size.height) - top))
    }
  }
}
