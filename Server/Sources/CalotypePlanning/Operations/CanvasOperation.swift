public import CalotypeImaging

/// A picture on a transparent canvas. Parts of the picture outside the canvas are cut off.
public struct CanvasOperation: Hashable, Sendable {
  /// The size of the canvas.
  public var size: PixelSize
  /// The position of the picture on it.
  public var origin: PixelPoint

  /// Creates an operation.
  public init(size: PixelSize, origin: PixelPoint) {
    self.size = size
    self.origin = origin
  }
}
