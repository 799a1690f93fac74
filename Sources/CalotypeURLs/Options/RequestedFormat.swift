/// A format of images, by its name in URLs (imgproxy, "Image formats support").
public enum RequestedFormat: String, Hashable, Sendable, CaseIterable, Comparable {
  /// JPEG; `jpg` is read too.
  case jpeg
  /// JPEG XL.
  case jxl
  /// PNG.
  case png
  /// WebP.
  case webp
  /// GIF.
  case gif
  /// Windows icon.
  case ico
  /// SVG.
  case svg
  /// HEIF with HEVC.
  case heic
  /// AVIF.
  case avif
  /// Windows bitmap.
  case bmp
  /// TIFF; `tif` is no name.
  case tiff
  /// The one that suits the image; as a result only (imgproxy Pro, "Best format").
  case best

  /// The name in URLs that this module writes: `jpg`, or the raw value.
  public var name: String { self == .jpeg ? "jpg" : rawValue }

  /// The format of a name, in lower case as imgproxy demands.
  public init?(name: String) {
    if name == "jpg" { self = .jpeg } else { self.init(rawValue: name) }
  }

  /// The order of names.
  public static func < (left: RequestedFormat, right: RequestedFormat) -> Bool {
    left.rawValue < right.rawValue
  }
}
