/// A description of a picture in a few bytes: colours and placeholders.
public struct ImageSummary: Hashable, Sendable, Codable {
  /// The mean of all pixels, with colours weighted by their alpha. Exact.
  public var averageColor: PixelColor
  /// The colours that represent most of the picture, the one with the largest share first; none if no pixel is visible.
  public var dominantColors: [DominantColor]
  /// A Boolean value that indicates whether any pixel is not fully opaque. Exact.
  public var hasTransparency: Bool
  /// A ``BlurHash`` with the usual number of components.
  public var blurHash: String
  /// The bytes of a ``ThumbHash``.
  public var thumbHash: [UInt8]

  /// Creates a summary.
  public init(
    averageColor: PixelColor, dominantColors: [DominantColor], hasTransparency: Bool, blurHash: String,
    thumbHash: [UInt8]
  ) {
    self.averageColor = averageColor
    self.dominantColors = dominantColors
    self.hasTransparency = hasTransparency
    self.blurHash = blurHash
    self.thumbHash = thumbHash
  }
}
