/// A part of plans that CalotypeImaging cannot do yet.
public enum MissingPrimitive: String, Hashable, Sendable, CaseIterable {
  /// More than 8 bits through transforms.
  case deepPixels
  /// The choice of the embedded thumbnail.
  case embeddedThumbnail
  /// Another colour profile than sRGB.
  case colorProfile
  /// The density.
  case density
  /// Encoder settings of JPEG: other quantisation tables, deringing.
  case jpegSettings

  /// A Boolean value that indicates whether a plan is refused without it; otherwise something similar is done in its
  /// place.
  public var isEssential: Bool {
    switch self {
    case .colorProfile: true
    default: false
    }
  }
}
