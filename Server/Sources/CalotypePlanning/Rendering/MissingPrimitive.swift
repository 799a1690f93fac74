/// A part of plans that CalotypeImaging cannot do yet.
public enum MissingPrimitive: String, Hashable, Sendable, CaseIterable {
  /// A frame of an animation, or several pages, as a still picture.
  case pages
  /// More than 8 bits through transforms.
  case deepPixels
  /// The choice of the embedded thumbnail.
  case embeddedThumbnail
  /// CSS in a drawing.
  case style
  /// A limit of bytes that is kept as well as possible.
  case bestEffortSize
  /// A quality by measuring.
  case autoquality
  /// Copyright without other metadata.
  case copyrightFilter
  /// Another colour profile than sRGB.
  case colorProfile
  /// The density.
  case density
  /// Encoder settings of JPEG: quantisation tables, trellis, deringing, scans.
  case jpegSettings
  /// Encoder settings of PNG: interlacing, the number of colours.
  case pngSettings
  /// Encoder settings of WebP: near-lossless, presets.
  case webpSettings
  /// The frames of an animation up to a number.
  case frameLimit

  /// A Boolean value that indicates whether a plan is refused without it; otherwise something similar is done in its
  /// place.
  public var isEssential: Bool {
    switch self {
    case .pages, .colorProfile: true
    default: false
    }
  }
}
