import CPixels
import FoundationEssentials

/// The colours of a picture: the matrix of its planes, and the profile of its pixels.
///
/// The properties of the file come before what the coded data state (ISO/IEC 23000-22, 7.3.6.4). An ICC profile describes
/// the pixels; code points then tell the matrix alone.
struct PictureColors {
  let points: cpx_code_points
  let profile: ColorProfile?

  /// - Parameters:
  ///   - properties: The properties of the picture.
  ///   - picture: The decoded picture, or a part of it.
  ///   - bytes: The file.
  ///   - limits: The limits of the image.
  init(
    _ properties: [ItemProperty], _ picture: CodedPicture, _ bytes: UnsafeRawBufferPointer,
    _ limits: DecodeLimits
  ) {
    var points = picture.colors
    var icc: Data?
    var peak = picture.maxLight
    for property in properties {
      switch property {
      case .codePoints(let stated):
        points = cpx_code_points(
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
  private static func profile(_ points: cpx_code_points, peak: Int?) -> ColorProfile {
    ColorProfile.CodePoints(
      primaries: UInt8(exactly: points.primaries) ?? 2, transfer: UInt8(exactly: points.transfer) ?? 2,
      matrix: UInt8(exactly: points.matrix) ?? 2,
      // The planes become RGB of the full range.
      isFullRange: true, peakLuminance: peak.map { Double($0) }
    ).profile
  }

  /// Returns the format of the pixels of samples of a depth.
  func format(ofDepth depth: Int, options: DecodeOptions) -> PixelFormat {
    depth > 8 && (options.pixels == .native || options.mapsTones(of: profile)) ? .rgba16 : .rgba8
  }
}

extension ISOMediaFile {
  /// The properties of the animation or of the primary picture; those of a grid, and then those of its first tile.
  var colorProperties: [ItemProperty] {
    if let track { return track.properties }
    guard let graph else { return [] }
    return graph.colorProperties(of: graph.primary)
  }
}

extension ItemGraph {
  /// Returns the properties of a picture; those of a derived one, and then those of its first input.
  func colorProperties(of picture: Picture) -> [ItemProperty] {
    var properties = table.items[picture.id].map { table.properties(of: $0) } ?? []
    if !properties.contains(where: \.isColor), let first = picture.inputs.first, let item = table.items[first]
    {
      properties += table.properties(of: item)
    }
    return properties
  }
}

extension ItemProperty {
  /// A Boolean value that indicates whether the property describes colours.
  var isColor: Bool {
    switch self {
    case .codePoints, .profile: true
    default: false
    }
  }
}
