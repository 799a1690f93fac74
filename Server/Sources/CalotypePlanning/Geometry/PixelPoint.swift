/// A position in whole pixels, to the right and downwards from the upper left corner.
public struct PixelPoint: Hashable, Sendable {
  /// The distance from the left edge; negative to the left of it.
  public var x: Int
  /// The distance from the upper edge; negative above it.
  public var y: Int

  /// Creates a position.
  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}
