/// An image file format, named by its usual short name. Custom coders add their own.
public struct ImageFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The short lower-case name, such as `jpeg`.
  public let rawValue: String

  /// Creates a format from its short name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The short name.
  public var description: String { rawValue }
}

extension ImageFormat {
  /// JPEG (ITU-T T.81).
  public static let jpeg = ImageFormat(rawValue: "jpeg")
  /// PNG (ISO/IEC 15948), still.
  public static let png = ImageFormat(rawValue: "png")
  /// Animated PNG: a PNG with an `acTL` chunk before its image data.
  public static let apng = ImageFormat(rawValue: "apng")
  /// WebP (RFC 9649), still or animated.
  public static let webp = ImageFormat(rawValue: "webp")
  /// GIF (87a and 89a).
  public static let gif = ImageFormat(rawValue: "gif")
  /// AVIF (AV1 in HEIF).
  public static let avif = ImageFormat(rawValue: "avif")
  /// HEIF/HEIC (HEVC in HEIF).
  public static let heif = ImageFormat(rawValue: "heif")
  /// JPEG XL, container or bare codestream.
  public static let jxl = ImageFormat(rawValue: "jxl")
  /// TIFF.
  public static let tiff = ImageFormat(rawValue: "tiff")
  /// Windows bitmap.
  public static let bmp = ImageFormat(rawValue: "bmp")
  /// Windows icon.
  public static let ico = ImageFormat(rawValue: "ico")
  /// Windows cursor.
  public static let cur = ImageFormat(rawValue: "cur")
  /// The Quite OK Image format.
  public static let qoi = ImageFormat(rawValue: "qoi")
  /// SVG, plain or compressed by gzip.
  public static let svg = ImageFormat(rawValue: "svg")
}

extension ImageFormat {
  /// The media type (IANA), such as `image/jpeg`; `nil` for formats of custom coders.
  public var mimeType: String? {
    switch self {
    case .jpeg: "image/jpeg"
    case .png: "image/png"
    case .apng: "image/apng"
    case .webp: "image/webp"
    case .gif: "image/gif"
    case .avif: "image/avif"
    case .heif: "image/heif"
    case .jxl: "image/jxl"
    case .tiff: "image/tiff"
    case .bmp: "image/bmp"
    case .ico: "image/vnd.microsoft.icon"
    case .cur: "image/x-win-bitmap"
    case .qoi: "image/qoi"
    case .svg: "image/svg+xml"
    default: nil
    }
  }

  /// The usual file name extension, without the dot.
  public var fileExtension: String {
    self == .jpeg ? "jpg" : self == .apng ? "png" : rawValue
  }
}
