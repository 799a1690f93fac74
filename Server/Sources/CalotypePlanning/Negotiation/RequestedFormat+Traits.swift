public import CalotypeImaging
public import CalotypeURLs

extension RequestedFormat {
  /// The name in URLs of a format of images; `nil` for formats without one.
  public init?(_ format: ImageFormat) {
    switch format {
    case .jpeg: self = .jpeg
    case .jxl: self = .jxl
    case .png, .apng: self = .png
    case .webp: self = .webp
    case .gif: self = .gif
    case .ico, .cur: self = .ico
    case .svg: self = .svg
    case .heif: self = .heic
    case .avif: self = .avif
    case .bmp: self = .bmp
    case .tiff: self = .tiff
    default: return nil
    }
  }

  /// The format of images; `nil` for ``best``.
  public var imageFormat: ImageFormat? {
    switch self {
    case .jpeg: .jpeg
    case .jxl: .jxl
    case .png: .png
    case .webp: .webp
    case .gif: .gif
    case .ico: .ico
    case .svg: .svg
    case .heic: .heif
    case .avif: .avif
    case .bmp: .bmp
    case .tiff: .tiff
    case .best: nil
    }
  }

  /// The media type of the results of a server.
  public var mediaType: String { imageFormat?.mimeType ?? "application/octet-stream" }

  /// A Boolean value that indicates whether the format holds transparency.
  public var holdsAlpha: Bool { self != .jpeg }

  /// A Boolean value that indicates whether the format has a quality.
  public var hasQuality: Bool { [.jpeg, .jxl, .webp, .heic, .avif, .tiff].contains(self) }

  /// A Boolean value that indicates whether the format holds more than 8 bits.
  public var holdsDepth: Bool { [.jxl, .png, .avif, .tiff].contains(self) }

  /// A Boolean value that indicates whether files have thumbnails of their picture.
  var hasThumbnails: Bool { self == .heic || self == .avif }

  /// The formats that are negotiated, in order of preference, and whether they are written as still pictures only.
  static let negotiated: [(format: RequestedFormat, isStill: Bool)] = [
    (.jxl, true), (.avif, true), (.webp, false),
  ]
}
