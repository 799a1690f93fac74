public import FoundationEssentials

/// The parts of an encoded image beside its pixels: metadata, and the kind of its colours. No pixel is decoded.
///
/// ```swift
/// if let parts = try ImageParts(of: prefix) { show(parts.metadata.exif) }    // nil: more bytes are needed
/// ```
///
/// ``ImageMetadata`` comes from JPEG, PNG, WebP, AVIF, HEIF, TIFF, and JPEG XL with uncompressed boxes; ``iptc`` and
/// ``photoshop`` from JPEG and TIFF.
public struct ImageParts: Hashable, Sendable {
  /// The kinds of colours.
  public enum ColorModel: String, Hashable, Sendable, CaseIterable, Codable {
    /// Levels of grey.
    case gray
    /// Red, green and blue, in any encoding.
    case rgb
    /// Inks: cyan, magenta, yellow and black.
    case cmyk

    /// The number of channels, without alpha.
    public var channelCount: Int {
      switch self {
      case .gray: 1
      case .rgb: 3
      case .cmyk: 4
      }
    }
  }

  /// Exif and XMP. The Exif of a TIFF is the file itself.
  public var metadata = ImageMetadata()
  /// The datasets of IPTC-IIM.
  public var iptc: Data?
  /// The image resources of Photoshop (`8BIM` …).
  public var photoshop: Data?
  /// The kind of the stored colours. Colours of a palette are RGB.
  public var colorModel = ColorModel.rgb

  /// Creates the parts of an RGB image without metadata.
  public init() {}

  /// Reads the parts from the first bytes of an image.
  ///
  /// Blocks in front of the pixels are found in these bytes, and waited for behind them if the header announces them. Others
  /// behind the pixels, such as those of some PNG files, are only in whole inputs; a TIFF is always read as a whole.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the encoded image.
  ///   - isWhole: Pass true if no more bytes follow.
  ///   - page: The page of a document.
  ///   - limits: The limits of the image. Blocks longer than ``DecodeLimits/maxChunkBytes`` are left out.
  /// - Returns: `nil` if more bytes are needed, and may come.
  /// - Throws: The errors of ``CoderRegistry/probe(_:limits:formatHint:page:)`` that more bytes cannot mend.
  public init?(
    of prefix: Data, isWhole: Bool = false, page: Int = 0, limits: DecodeLimits = .default
  ) throws(ImagingError) {
    guard let format = ImageFormat.sniff(prefix) else {
      if prefix.count < ImageFormat.textSniffLength, !isWhole { return nil }
      return
    }
    let isComplete: Bool
    switch format {
    case .jpeg: isComplete = try readJPEG(prefix, limits)
    case .png: isComplete = try readPNG(prefix, isWhole, limits)
    case .webp: isComplete = try readWebP(prefix, limits)
    case .avif, .heif: isComplete = try readISOMedia(prefix, isWhole, format, limits)
    case .tiff: isComplete = isWhole ? try readTIFF(prefix, page, limits) : false
    case .jxl: isComplete = try readJXL(prefix, isWhole, limits)
    default: isComplete = true
    }
    guard isComplete || isWhole else { return nil }
    if iptc == nil { iptc = photoshopResource(0x0404) }
  }

  /// Returns the data of the first image resource with a number; `nil` if there is none, or those before it are damaged.
  public func photoshopResource(_ number: UInt16) -> Data? {
    photoshop.flatMap { PhotoshopResources.payload(of: number, in: $0) }
  }
}
