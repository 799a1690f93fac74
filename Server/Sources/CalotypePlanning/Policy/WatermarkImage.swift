public import CalotypeImaging

/// A watermark as far as planning needs it: its name and size.
public struct WatermarkImage: Hashable, Sendable {
  /// The name of its pixels, such as a digest of its file.
  public var id: String
  /// The upright size in pixels.
  public var size: PixelSize
  /// The work to decode its pixels, which the result has to wait for; none if they are at hand.
  public var decoding: PredictedCost

  /// Names a watermark.
  public init(
    id: String, size: PixelSize, decoding: PredictedCost = PredictedCost(milliseconds: 0, byteCount: 0)
  ) {
    self.id = id
    self.size = size
    self.decoding = decoding
  }
}
