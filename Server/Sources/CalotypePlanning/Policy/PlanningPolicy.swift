public import CalotypeImaging
public import CalotypeURLs

/// The decisions of a server for options that a URL leaves open, and its limits.
///
/// The properties are the settings of imgproxy, whose names stand in parentheses, and have its defaults.
///
/// ```swift
/// var policy = PlanningPolicy()
/// policy.automaticFormats = [.webp, .avif]
/// let planner = Planner(policy)
/// ```
public struct PlanningPolicy: Hashable, Sendable {
  /// The limits on sources and results.
  public var limits = PlanningLimits()

  /// The quality of formats that ``formatQuality`` does not name: 80 (`QUALITY`).
  public var quality = 80
  /// The quality by format (`FORMAT_QUALITY`).
  public var formatQuality: [RequestedFormat: Int] = [.webp: 79, .avif: 63, .jxl: 77]
  /// Whether a result has the best quality for a measure; the server decides if a URL does not (`AUTOQUALITY_…`; Pro).
  public var autoquality: ProcessingOptions.Autoquality?
  /// The least quality of a search by format (`AUTOQUALITY_FORMAT_MIN`; Pro).
  public var autoqualityMinimum: [RequestedFormat: Int] = [:]
  /// The greatest quality of a search by format (`AUTOQUALITY_FORMAT_MAX`; Pro).
  public var autoqualityMaximum: [RequestedFormat: Int] = [:]
  /// The most pixels of a result whose quality is searched for; 0 for no limit (`AUTOQUALITY_MAX_RESOLUTION`; Pro).
  public var autoqualityPixels = 0
  /// Whether the best format is sent if a URL names none (`BEST_FORMAT_BY_DEFAULT`; Pro).
  public var prefersBestFormat = false
  /// The most pixels of a result whose best format is found by trying; 0 for no limit (`BEST_FORMAT_MAX_RESOLUTION`; Pro).
  public var bestFormatPixels = 0
  /// The processor time to spend on smaller files by format: ``EncodeOptions/Effort/balanced`` for those that it does not name
  /// (`WEBP_EFFORT`, `AVIF_SPEED`, `JXL_EFFORT`).
  public var efforts: [RequestedFormat: EncodeOptions.Effort] = [:]
  /// The options of JPEG (`JPEG_PROGRESSIVE` and others).
  public var jpeg = ProcessingOptions.JPEG()
  /// The options of PNG (`PNG_QUANTIZE` and others).
  public var png = ProcessingOptions.PNG()
  /// The options of WebP (`WEBP_PRESET` and others).
  public var webp = ProcessingOptions.WebP()
  /// The options of AVIF (`AVIF_SUBSAMPLE`; Pro).
  public var avif = ProcessingOptions.AVIF()

  /// The formats that are sent to clients that name them, if the URL has no format (`AUTO_WEBP`, `AUTO_AVIF`, `AUTO_JXL`).
  /// Only WebP, AVIF and JPEG XL count.
  public var automaticFormats: Set<RequestedFormat> = []
  /// The formats that are sent to clients that name them, even if the URL has another (`ENFORCE_WEBP` and so on).
  public var enforcedFormats: Set<RequestedFormat> = []
  /// The formats of results without negotiation, in order of preference (`PREFERRED_FORMATS`).
  public var preferredFormats: [RequestedFormat] = [.jpeg, .png, .gif]
  /// The formats whose sources are passed on as they are (`SKIP_PROCESSING_FORMATS`).
  public var skippedFormats: Set<RequestedFormat> = []
  /// The formats that the server can encode.
  public var writableFormats: Set<RequestedFormat> = [.jpeg, .png, .webp, .gif, .avif, .jxl, .bmp, .ico]
  /// The formats that are written as animations.
  public var animatedFormats: Set<RequestedFormat> = [.webp, .gif]
  /// Whether drawings become pixels if the URL has no format (`ALWAYS_RASTERIZE_SVG`).
  public var alwaysRasterizesDrawings = false
  /// Whether client hints stand in for width and device pixel ratio (`ENABLE_CLIENT_HINTS`).
  public var usesClientHints = false

  /// Whether Exif orientation is applied (`AUTO_ROTATE`).
  public var autoRotates = true
  /// Whether metadata are removed (`STRIP_METADATA`).
  public var stripsMetadata = true
  /// Whether copyright is kept nevertheless (`KEEP_COPYRIGHT`).
  public var keepsCopyright = true
  /// Whether colours become sRGB without a profile (`STRIP_COLOR_PROFILE`).
  public var stripsColorProfile = true
  /// Whether more than 8 bits are kept where the format can hold them (`PRESERVE_HDR`).
  public var preservesHDR = false
  /// Whether the thumbnail inside a HEIC or AVIF file is used, of any size (`ENFORCE_THUMBNAIL`).
  public var enforcesThumbnail = false
  /// Whether light is mixed in resampling, instead of stored numbers (`USE_LINEAR_COLORSPACE`).
  public var usesLinearLight = false
  /// Whether decoders have to deliver the full size (`DISABLE_SHRINK_ON_LOAD`).
  public var disablesShrinkingDecoders = false
  /// Unsharp masking of pictures whose URL does not decide on it; none by default (`UNSHARP_MASKING_…`; Pro).
  public var unsharpMasking = ProcessingStage.UnsharpMasking(mode: ProcessingStage.UnsharpMasking.Mode.none)

  /// The watermark of URLs that name no other; `nil` for none (`WATERMARK_PATH` and others).
  public var watermark: WatermarkImage?
  /// The factor of the opacity of watermarks, above 0 and at most 1 (`WATERMARK_OPACITY`).
  public var watermarkOpacity = 1.0

  /// The coefficients of predicted costs.
  public var costs = CostCoefficients()

  /// Creates the policy of an imgproxy that nobody configured.
  public init() {}
}
