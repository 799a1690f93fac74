public import CalotypeImaging

/// A watermark on a picture.
public struct WatermarkOperation: Hashable, Sendable {
  /// The place of the watermark.
  public enum Placement: Hashable, Sendable {
    /// One copy. It may hang over the edge.
    case single(PixelPoint)
    /// Copies all over the picture. One of them lies at the origin, the others at multiples of the period from it, each
    /// in both axes; a period below the size of the watermark cuts the copies off.
    case tiled(origin: PixelPoint, period: PixelSize)
    /// As ``tiled(origin:period:)``, without every second copy of each row and column.
    case chessboard(origin: PixelPoint, period: PixelSize)
  }

  /// The name of the watermark, by which its pixels are found.
  public var id: String
  /// The size that the watermark is resampled to before it is rotated.
  public var size: PixelSize
  /// The rotation clockwise in degrees, 0 to 360; the corners become transparent.
  public var degrees: Double
  /// The deviation of the shadow beneath the watermark in pixels; 0 for none.
  public var shadow: Double
  /// The opacity, 0 to 1.
  public var opacity: Double
  /// The place.
  public var placement: Placement

  /// Creates an operation.
  public init(
    id: String, size: PixelSize, degrees: Double = 0, shadow: Double = 0, opacity: Double = 1,
    placement: Placement
  ) {
    self.id = id
    self.size = size
    self.degrees = degrees
    self.shadow = shadow
    self.opacity = opacity
    self.placement = placement
  }
}
