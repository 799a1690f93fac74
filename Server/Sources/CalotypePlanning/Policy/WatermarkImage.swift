public import CalotypeImaging

/// A watermark as far as planning needs it: its name and size.
public struct WatermarkImage: Hashable, Sendable {
  /// The name of its pixels, such as a digest of its file.
  public var id: String
  /// The upright size in pixels.
  public var size: PixelSize

  /// Names a watermark.
  public init(id: String, size: PixelSize) {
    self.id = id
    self.size = size
  }
}
