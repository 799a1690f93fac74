/// All options of an image: the pipelines, and those of the whole. `nil` is an option that was not given.
///
/// ```swift
/// var options = ProcessingOptions()
/// options.resizingType = .fill
/// options.width = 300
/// options.height = 200
/// options.format = .webp
/// ```
@dynamicMemberLookup
public struct ProcessingOptions: Hashable, Sendable {
  /// The pipelines, each of which begins with the result of the one before (imgproxy Pro, "Chained pipelines"); one at least.
  public var stages: [ProcessingStage]

  /// Whether EXIF, IPTC and XMP are removed; the server decides if it is not given.
  public var stripsMetadata: Bool?
  /// Whether copyright is kept nevertheless; the server decides.
  public var keepsCopyright: Bool?
  /// Whether colours are converted to sRGB and the profile is removed; the server decides.
  public var stripsColorProfile: Bool?
  /// Whether more than 8 bits are kept; the server decides.
  public var preservesHDR: Bool?
  /// Whether the thumbnail inside a HEIC or AVIF file is used, of any size; the server decides.
  public var enforcesThumbnail: Bool?
  /// Density in dots per inch; default 0: as it is (Pro).
  public var dpi: Int?
  /// Colour profile of the result: `srgb`, `cmyk` or the name of a file of the server (Pro).
  public var colorProfile: String?

  /// Format of the result; the server decides if it is not given.
  public var format: RequestedFormat?
  /// Quality, 1 to 100, or 0 for that of ``formatQuality`` or the server; default 0.
  public var quality: Int?
  /// Quality by format.
  public var formatQuality: [RequestedFormat: Int] = [:]
  /// Quality by measuring (Pro).
  public var autoquality: Autoquality?
  /// Largest result in bytes, for which quality is reduced; default 0: no limit.
  public var maxBytes: Int?
  /// JPEG (Pro).
  public var jpeg: JPEG?
  /// PNG (Pro).
  public var png: PNG?
  /// WebP (Pro).
  public var webp: WebP?
  /// AVIF (Pro).
  public var avif: AVIF?

  /// First page or frame, counted from 0; default 0 (Pro).
  public var page: Int?
  /// Number of pages or frames, one below the other; default 1 (Pro).
  public var pages: Int?
  /// Whether an animation is a still image; default false (Pro).
  public var disablesAnimation: Bool?
  /// CSS that is added to an SVG (Pro).
  public var style: String?
  /// URL of an image that stands in for one that cannot be loaded (Pro).
  public var fallbackImageURL: String?
  /// Hash of the source's bytes, without which it is refused (Pro).
  public var hashsum: Hashsum?

  /// Formats whose images are passed on as they are, besides those of the server.
  public var skipProcessing: Set<RequestedFormat> = []
  /// Whether the source is passed on as it is, unchecked; default false.
  public var raw: Bool?
  /// Text that only makes the URL another one; empty is as if not given.
  public var cachebuster: String?
  /// Whether cached results are not used (Pro).
  public var bypassesCache: Bool?
  /// Names by which the result can be purged (Pro).
  public var cacheTags: [String] = []
  /// Seconds since 1970 after which the URL is not served; 0 for never.
  public var expires: Int64?
  /// Name of the file, without its extension, for `Content-Disposition`.
  public var filename: String?
  /// Whether a browser saves the file instead of showing it; the server decides.
  public var returnsAttachment: Bool?

  /// Most pixels of a source, in millions.
  public var maxSourceResolution: Double?
  /// Most bytes of a source; 0 or less for no limit.
  public var maxSourceFileSize: Int?
  /// Most frames of an animation, 1 or more.
  public var maxAnimationFrames: Int?
  /// Most pixels of a frame, in millions; 0 for the limit of all frames together.
  public var maxAnimationFrameResolution: Double?
  /// Longest side of a result in pixels; 0 or less for no limit.
  public var maxResultDimension: Int?

  /// Options of which none is given, with one stage.
  public init() {
    stages = [ProcessingStage()]
  }

  /// Options with several stages.
  public init(stages: [ProcessingStage]) {
    self.stages = stages.isEmpty ? [ProcessingStage()] : stages
  }

  /// An option of the first stage.
  public subscript<Value>(dynamicMember path: WritableKeyPath<ProcessingStage, Value>) -> Value {
    get { (stages.first ?? ProcessingStage())[keyPath: path] }
    set {
      if stages.isEmpty { stages = [ProcessingStage()] }
      stages[0][keyPath: path] = newValue
    }
  }
}
