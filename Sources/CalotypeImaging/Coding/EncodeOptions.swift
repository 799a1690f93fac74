/// The format to write and its settings. Encoders ignore settings that their format does not have.
public struct EncodeOptions: Hashable, Sendable, Codable {
  /// The effort to spend on a smaller file.
  public enum Effort: String, Hashable, Sendable, CaseIterable, Codable {
    /// Least effort: PNG level 1, WebP method 2, AVIF speed 9, JPEG XL effort 3, fixed Huffman codes in JPEG.
    case fast
    /// PNG level 6, WebP method 4, AVIF speed 8, JPEG XL effort 5, optimised Huffman codes.
    case balanced
    /// Smallest file: PNG levels 11 and 12 with more filters tried, WebP method 6, AVIF speed 6, JPEG XL effort 7; in JPEG,
    /// coefficients that are worth their bits, in the progressive scans that take the fewest.
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
    /// 4:4:4 for pictures whose colours change from pixel to pixel, as in drawings and text, otherwise 4:2:0.
    case auto
  }

  /// The quantisation tables of JPEG: the steps to which each frequency is rounded.
  public enum JPEGTables: String, Hashable, Sendable, CaseIterable, Codable {
    /// Tables that were fitted to pictures: the same quality takes about an eighth fewer bytes.
    case fitted
    /// The tables of ITU-T T.81, annex K, scaled by quality as libjpeg does, for files that other programs compare with theirs.
    case standard
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
  /// The measured quality to search ``quality`` for, which is ignored then; for a palette of PNG, to search the number of colours for,
  /// up to ``paletteSize``. Other formats and settings without a quality ignore it.
  public var qualityTarget: QualityTarget?
  /// Keeps every pixel exactly, if the format has a choice (WebP, AVIF, JPEG XL). JPEG and GIF refuse it.
  public var isLossless: Bool
  /// The effort to spend on a smaller file.
  public var effort: Effort = .balanced
  /// Writes a progressive file, with scans of rising quality (JPEG).
  public var isProgressive = false
  /// The chroma subsampling (JPEG, lossy AVIF).
  public var subsampling: Subsampling = .yuv420
  /// The quantisation tables (JPEG).
  public var jpegTables: JPEGTables = .fitted
  /// The quality of the alpha channel, from 0 to 100 (lossy WebP and AVIF).
  public var alphaQuality = 100
  /// Converts to 4:2:0 more slowly, with sharper chroma (lossy WebP, which does so for still drawings by itself unless the
  /// effort is ``Effort/fast``).
  public var usesSharpYUV = false
  /// Reduces the picture to a palette of at most 256 colours (PNG and APNG; GIF always does).
  public var usesPalette = false
  /// The largest number of colours in a palette, from 2 to 256 (PNG and APNG).
  public var paletteSize = 256
  /// Stores fully transparent pixels as transparent black, without their colours: the file may get smaller, and looks the
  /// same wherever it is composited. Otherwise, such colours are kept (PNG and APNG, lossless WebP).
  public var clearsHiddenColors = false
  /// Writes the picture in seven passes of rising resolution, by Adam7, so that it appears as a whole while it arrives;
  /// the file grows by about a tenth (PNG of still pictures).
  public var isInterlaced = false
  /// The fidelity of a lossless picture whose samples may change a little for a smaller file, from 0 (most changes) to 99;
  /// `nil` changes nothing (lossless WebP).
  public var nearLosslessQuality: Int?
  /// The kind of picture to tune for (lossy WebP).
  public var content: Content = .any
  /// Spreads the error of a palette over neighbouring pixels (GIF, and PNG and APNG with a palette; in a PNG with a ``qualityTarget``,
  /// only if ``paletteSize`` colours do not reach it otherwise).
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

  /// Creates options for any format that an encoder is registered for, with a measured quality.
  public init(format: ImageFormat, target: QualityTarget) {
    self.init(format: format)
    qualityTarget = target
  }

  /// Returns options for JPEG with 4:2:0 chroma; transparent pixels are composited on white.
  public static func jpeg(quality: Int = 82) -> EncodeOptions {
    EncodeOptions(format: .jpeg, quality: quality)
  }
  /// Returns options for JPEG of a measured quality.
  public static func jpeg(quality target: QualityTarget) -> EncodeOptions {
    EncodeOptions(format: .jpeg, target: target)
  }
  /// PNG with 8 bits per sample, or 16 for a bitmap that has them.
  public static let png = EncodeOptions(format: .png)
  /// Returns options for lossy WebP.
  public static func webp(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .webp, quality: quality)
  }
  /// Returns options for lossy WebP of a measured quality.
  public static func webp(quality target: QualityTarget) -> EncodeOptions {
    EncodeOptions(format: .webp, target: target)
  }
  /// Lossless WebP.
  public static let webpLossless = EncodeOptions(format: .webp, isLossless: true)
  /// Returns options for lossy AVIF, on the same scale as WebP.
  public static func avif(quality: Int = 80) -> EncodeOptions {
    EncodeOptions(format: .avif, quality: quality)
  }
  /// Returns options for lossy AVIF of a measured quality.
  public static func avif(quality target: QualityTarget) -> EncodeOptions {
    EncodeOptions(format: .avif, target: target)
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
