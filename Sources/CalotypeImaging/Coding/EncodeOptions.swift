/// The format to write and its settings. Encoders ignore settings that their format does not have.
public struct EncodeOptions: Hashable, Sendable, Codable {
  /// The effort to spend on a smaller file.
  public enum Effort: String, Hashable, Sendable, CaseIterable, Codable {
    /// Least effort: PNG level 1, WebP method 0, AVIF speed 9, JPEG XL effort 3, fixed Huffman tables in JPEG.
    case fast
    /// PNG level 6, WebP method 4, AVIF speed 8, JPEG XL effort 5, optimised Huffman tables.
    case balanced
    /// Smallest file: PNG level 9, WebP method 6, AVIF speed 6, JPEG XL effort 7, progressive JPEG.
    case small
  }

  /// The chroma subsampling of JPEG and AVIF.
  public enum Subsampling: String, Hashable, Sendable, CaseIterable, Codable {
    /// Half the chroma resolution in both directions.
    case yuv420 = "4:2:0"
    /// Half the horizontal chroma resolution.
    case yuv422 = "4:2:2"
    /// Full chroma resolution.
    case yuv444 = "4:4:4"
  }

  /// The kind of picture that a lossy encoder of WebP is tuned for.
  public enum Content: String, Hashable, Sendable, CaseIterable, Codable {
    /// Any picture.
    case any
    /// A portrait, or a picture taken indoors.
    case picture
    /// A photograph taken outdoors, in natural light.
    case photo
    /// A drawing of lines with high contrast.
    case drawing
    /// A small, colourful picture.
    case icon
    /// Text.
    case text
  }

  /// The format to write.
  public var format: ImageFormat
  /// The quality of lossy formats, from 0 (smallest) to 100 (best).
  public var quality: Int
  /// Keeps every pixel exactly, if the format has a choice (WebP, AVIF, JPEG XL). JPEG and GIF refuse it.
  public var isLossless: Bool
  /// The effort to spend on a smaller file.
  public var effort: Effort = .balanced
  /// Writes a progressive file, with scans of rising quality (JPEG).
  public var isProgressive = false
  /// The chroma subsampling (JPEG, lossy AVIF).
  public var subsampling: Subsampling = .yuv420
  /// The quality of the alpha channel, from 0 to 100 (lossy WebP and AVIF).
  public var alphaQuality = 100
  /// Converts to 4:2:0 more slowly, with sharper chroma (lossy WebP).
  public var usesSharpYUV = false
  /// Reduces the picture to a palette of at most 256 colours (PNG; GIF always does).
  public var usesPalette = false
  /// The largest number of colours in a palette, from 2 to 256 (PNG).
  public var paletteSize = 256
  /// Writes the picture in seven passes of rising resolution, by Adam7, so that it appears as a whole while it arrives;
  /// the file grows by about a tenth (PNG of still pictures).
  public var isInterlaced = false
  /// The fidelity of a lossless picture whose samples may change a little for a smaller file, from 0 (most changes) to 99;
  /// `nil` changes nothing, hidden colours of transparent pixels included (lossless WebP).
  public var nearLosslessQuality: Int?
  /// The kind of picture to tune for (lossy WebP).
  public var content: Content = .any
  /// Spreads the error of a palette over neighbouring pixels (GIF, and PNG with a palette).
  public var dithers = true
  /// The background of transparent pixels in a format without transparency; its alpha is ignored.
  public var background: PixelColor = .white
  /// The blocks of ``Image/metadata`` and the profile to write. None by default.
  public var keeps: Set<ImageMetadata.Kind> = []
  /// The largest file to write, in bytes: the quality is lowered until it fits.
  public var maxFileSize: Int?
  /// A Boolean value that indicates whether a picture that no quality makes as small as ``maxFileSize`` is an error.
  /// Otherwise, the smallest file that was made is delivered. `true` by default.
  public var requiresMaxFileSize = true
  /// The largest width and height, in pixels: larger pictures are shrunk before they are encoded.
  public var maxPixelSize: Int?

  /// Options of a particular encoder, by the names that it documents. Other encoders ignore them.
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

  /// Returns options for JPEG with 4:2:0 chroma; transparent pixels are composited on white.
  public static func jpeg(quality: Int = 82) -> EncodeOptions {
    EncodeOptions(format: .jpeg, quality: quality)
  }
  /// PNG with 8 bits per sample, or 16 for a bitmap that has them.
  public static let png = EncodeOptions(format: .png)
  /// Returns options for lossy WebP.
  public static func webp(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .webp, quality: quality)
  }
  /// Lossless WebP.
  public static let webpLossless = EncodeOptions(format: .webp, isLossless: true)
  /// Returns options for lossy AVIF, on the same scale as WebP.
  public static func avif(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .avif, quality: quality)
  }
  /// Lossless AVIF.
  public static let avifLossless = EncodeOptions(format: .avif, isLossless: true)
  /// Animated PNG.
  public static let apng = EncodeOptions(format: .apng)
  /// GIF.
  public static let gif = EncodeOptions(format: .gif)
  /// Returns options for lossy JPEG XL, on the same scale as WebP.
  public static func jxl(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .jxl, quality: quality)
  }
  /// Lossless JPEG XL.
  public static let jxlLossless = EncodeOptions(format: .jxl, isLossless: true)
  /// A Windows bitmap, with alpha if there are transparent pixels.
  public static let bmp = EncodeOptions(format: .bmp)
  /// QOI.
  public static let qoi = EncodeOptions(format: .qoi)
  /// A Windows icon with one picture of at most 256 by 256 pixels.
  public static let ico = EncodeOptions(format: .ico)
  /// Returns options for a Windows icon, such as a favicon, with pictures that fit into squares of these sides, of 1 to
  /// 256 pixels.
  public static func ico(sizes: [Int]) -> EncodeOptions {
    EncodeOptions(format: .ico, extras: ["sizes": sizes.map(String.init).joined(separator: ",")])
  }
}
