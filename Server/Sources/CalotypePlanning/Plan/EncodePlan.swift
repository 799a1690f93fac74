public import CalotypeImaging
public import CalotypeURLs

/// The format of a result and its settings.
public struct EncodePlan: Hashable, Sendable {
  /// The format.
  public var format: RequestedFormat
  /// The formats of which the content decides, if the best is wanted: ``format`` is the one without that. Empty otherwise.
  public var candidates: [RequestedFormat] = []
  /// The quality, 1 to 100, of a format that has one.
  public var quality: Int?
  /// The measure by which the quality is chosen; `nil` for ``quality``.
  public var autoquality: ProcessingOptions.Autoquality?
  /// The most bytes of the result, for which quality is lowered; the smallest that is possible if none fits. `nil` for no
  /// limit.
  public var maxBytes: Int?
  /// The processor time to spend on a smaller file.
  public var effort = EncodeOptions.Effort.balanced
  /// The options of JPEG, if that is the format.
  public var jpeg: ProcessingOptions.JPEG?
  /// The options of PNG, if that is the format.
  public var png: ProcessingOptions.PNG?
  /// The options of WebP, if that is the format.
  public var webp: ProcessingOptions.WebP?
  /// The options of AVIF, if that is the format.
  public var avif: ProcessingOptions.AVIF?
  /// A Boolean value that indicates whether Exif, IPTC and XMP are removed.
  public var stripsMetadata = true
  /// A Boolean value that indicates whether copyright is kept nevertheless.
  public var keepsCopyright = false
  /// A Boolean value that indicates whether the profile of the source is written.
  public var keepsColorProfile = false
  /// The colour profile to convert to and to write; `nil` for sRGB without one.
  public var colorProfile: String?
  /// The density in dots per inch to write; `nil` for none.
  public var dpi: Int?

  /// Creates a plan.
  public init(_ format: RequestedFormat) { self.format = format }
}
