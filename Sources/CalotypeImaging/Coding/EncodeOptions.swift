/// Which format to write, and how.
public struct EncodeOptions: Hashable, Sendable {
  /// The format to write.
  public var format: ImageFormat
  /// 0 (smallest) to 100 (best), for lossy formats.
  public var quality: Int
  /// Keep every pixel exactly, where the format has a choice (WebP).
  public var isLossless: Bool

  /// Creates options.
  public init(format: ImageFormat, quality: Int = 82, isLossless: Bool = false) {
    self.format = format
    self.quality = quality
    self.isLossless = isLossless
  }

  /// JPEG with 4:2:0 chroma; transparent pixels are laid on white.
  public static func jpeg(quality: Int = 82) -> EncodeOptions {
    EncodeOptions(format: .jpeg, quality: quality)
  }
  /// PNG with 8 bits per sample.
  public static let png = EncodeOptions(format: .png)
  /// Lossy WebP.
  public static func webp(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .webp, quality: quality)
  }
  /// Lossless WebP.
  public static let webpLossless = EncodeOptions(format: .webp, isLossless: true)
}
