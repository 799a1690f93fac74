/// The format to write, and its settings. An encoder ignores settings that its format does not have.
public struct EncodeOptions: Hashable, Sendable, Codable {
  /// The work to spend on fewer bytes.
  public enum Effort: String, Hashable, Sendable, CaseIterable, Codable {
    /// Least work: PNG level 1, WebP method 0, fixed Huffman tables in JPEG.
    case fast
    /// PNG level 6, WebP method 4, optimised Huffman tables.
    case balanced
    /// Fewest bytes: PNG level 9, WebP method 6, progressive JPEG.
    case small
  }

  /// The resolution of chroma in JPEG.
  public enum Subsampling: String, Hashable, Sendable, CaseIterable, Codable {
    /// Two by two.
    case yuv420 = "4:2:0"
    /// Two in a row.
    case yuv422 = "4:2:2"
    /// None.
    case yuv444 = "4:4:4"
  }

  /// The format to write.
  public var format: ImageFormat
  /// 0 (smallest) to 100 (best), for lossy formats.
  public var quality: Int
  /// Keep every pixel exactly, where the format has a choice (WebP).
  public var isLossless: Bool
  /// The work to spend on fewer bytes.
  public var effort: Effort = .balanced
  /// Scans of rising quality instead of rows (JPEG).
  public var isProgressive = false
  /// Chroma resolution (JPEG).
  public var subsampling: Subsampling = .yuv420
  /// 0 to 100, quality of the alpha channel (lossy WebP).
  public var alphaQuality = 100
  /// Slower, sharper conversion to 4:2:0 (lossy WebP).
  public var usesSharpYUV = false
  /// At most 256 colours, chosen for the picture (PNG; GIF always does).
  public var usesPalette = false
  /// Spread the error of a palette over neighbouring pixels (GIF, and PNG with a palette).
  public var dithers = true
  /// The background of transparent pixels in a format without transparency; its alpha does not count.
  public var background: PixelColor = .white
  /// Blocks of ``Image/metadata`` and the profile to write. None by default.
  public var keeps: Set<ImageMetadata.Kind> = []
  /// Bytes at most: the quality is lowered until they suffice.
  public var maxFileSize: Int?
  /// Pixels of the longer side at most: shrunk before it is encoded.
  public var maxPixelSize: Int?

  /// Options that only one encoder knows, by the names that it documents. Other encoders ignore them.
  public var extras: [String: String] = [:]

  /// Creates options for any format that an encoder is registered for.
  public init(
    format: ImageFormat, quality: Int = 82, isLossless: Bool = false, extras: [String: String] = [:]
  ) {
    self.extras = extras
    self.format = format
    self.quality = quality
    self.isLossless = isLossless
  }

  /// JPEG with 4:2:0 chroma; transparent pixels are laid on white.
  public static func jpeg(quality: Int = 82) -> EncodeOptions {
    EncodeOptions(format: .jpeg, quality: quality)
  }
  /// PNG with 8 bits per sample, or 16 for a bitmap that has them.
  public static let png = EncodeOptions(format: .png)
  /// Lossy WebP.
  public static func webp(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .webp, quality: quality)
  }
  /// Lossless WebP.
  public static let webpLossless = EncodeOptions(format: .webp, isLossless: true)
  /// Animated PNG.
  public static let apng = EncodeOptions(format: .apng)
  /// GIF.
  public static let gif = EncodeOptions(format: .gif)
}
