#if AVIF
import CAVIF
import FoundationEssentials

/// The colours of a picture: the matrix of its planes, and the profile of its pixels.
///
/// The properties of the file come before what the AV1 data state (ISO/IEC 23000-22, 7.3.6.4). An ICC profile describes
/// the pixels; code points then tell the matrix alone.
struct AVIFColors {
  let points: cavif_colors
  let profile: ColorProfile?

  init(
    _ file: ISOMediaFile, _ color: AVIFPictureReader.Decoded, _ bytes: UnsafeRawBufferPointer,
    _ limits: DecodeLimits
  ) {
    var points = color.colors
    var icc: Data?
    var peak = color.maxLight
    for property in file.colorProperties {
      switch property {
      case .codePoints(let stated):
        points = cavif_colors(
          primaries: stated.primaries, transfer: stated.transfer, matrix: stated.matrix,
          is_full_range: stated.isFullRange)
      case .profile(let range) where range.upperBound <= bytes.count && range.count <= limits.maxChunkBytes:
        icc = Data(bytes[range])
      case .light(let maxContent, _) where maxContent > 0: peak = Int(maxContent)
      case .mastering(let luminance) where luminance > 0 && peak == nil: peak = Int(luminance)
      default: break
      }
    }
    self.points = points
    profile = icc.map { .icc($0) } ?? Self.profile(points, peak: peak)
  }

  /// Returns the profile of code points; those beyond a byte are reserved, and count as unspecified.
  private static func profile(_ points: cavif_colors, peak: Int?) -> ColorProfile {
    ColorProfile.CodePoints(
      primaries: UInt8(exactly: points.primaries) ?? 2, transfer: UInt8(exactly: points.transfer) ?? 2,
      matrix: UInt8(exactly: points.matrix) ?? 2,
      // The planes become RGB of the full range.
      isFullRange: true, peakLuminance: peak.map { Double($0) }
    ).profile
  }

  /// Joins planes.
  func pixels(
    _ color: AVIFPictureReader.Decoded, alpha: AVIFPlanes?, in file: ISOMediaFile, options: DecodeOptions
  ) throws(ImagingError) -> (pixels: AVIFPixels, profile: ColorProfile?) {
    if let alpha {
      guard alpha.size == color.planes.size, alpha.depth == color.planes.depth else {
        throw .unsupportedFormat(.avif, reason: "alpha has another size or depth than the colours")
      }
    }
    let isDeep = color.planes.depth > 8
    let pixels = AVIFPixels(
      color: color.planes, alpha: alpha, points: points,
      isPremultiplied: file.track == nil && file.graph?.isPremultiplied == true,
      format: isDeep && (options.pixels == .native || options.mapsTones(of: profile)) ? .rgba16 : .rgba8)
    return (pixels, profile)
  }
}

extension ISOMediaFile {
  /// The properties of the animation or of the primary picture; those of a grid, and then those of its first tile.
  var colorProperties: [ItemProperty] {
    if let track { return track.properties }
    guard let graph else { return [] }
    var properties = graph.properties
    let inputs: [UInt32] =
      switch graph.primary.composition {
      case .coded: []
      case .grid(_, let tiles): tiles
      case .derived(_, let inputs): inputs
      }
    let hasColors = properties.contains {
      switch $0 {
      case .codePoints, .profile: true
      default: false
      }
    }
    if !hasColors, let first = inputs.first, let item = graph.table.items[first] {
      properties += graph.table.properties(of: item)
    }
    return properties
  }
}
#endif
