import FoundationEssentials

/// A decoder whose rows come from top to bottom, so that they can be shrunk on their way.
protocol RowDecoding: ImageDecoding {
  /// As ``ImageDecoding/decode(_:minimumSize:options:)``, but where possible the rows go through the resampler that
  /// `shrinker` makes for them, and its result is the bitmap; ``RowShrinker/isUsed`` tells.
  func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image
}

/// Makes the thumbnail of a picture while it is decoded.
final class RowShrinker {
  private let thumbnail: Thumbnail
  private let info: ImageInfo
  private let options: DecodeOptions
  /// Whether the decoded bitmap is the thumbnail. Set by the decoder.
  var isUsed = false

  init(_ thumbnail: Thumbnail, of info: ImageInfo, options: DecodeOptions) {
    self.thumbnail = thumbnail
    self.info = info
    self.options = options
  }

  /// The resize of a picture to the thumbnail.
  ///
  /// - Parameters:
  ///   - size: The size that the decoder delivers, in stored axes.
  ///   - format: The layout of its pixels.
  ///   - isOpaque: Whether all of them are opaque.
  ///   - profile: What their numbers mean.
  /// - Returns: `nil` when the picture has to be decoded as a whole.
  func plan(
    of size: PixelSize, format: PixelFormat, isOpaque: Bool, profile: ColorProfile?
  ) throws(ImagingError) -> ResamplePlan? {
    guard format != .gray8, !thumbnail.needsSRGB(profile, format, options) else { return nil }
    let orientation = options.appliesOrientation ? info.orientation : .topLeft
    let (target, region) = try thumbnail.resize(of: size, sourceSize: info.size, orientation: orientation)
    if target == size, region == SampleRegion(size) { return nil }
    try ResamplePlan.check(size: target, region: region, of: size)
    let plan = ResamplePlan(
      source: size, format: format, isOpaque: isOpaque, size: target, region: region,
      filter: thumbnail.filter, linearLight: thumbnail.linearLight)
    return plan.reducesFirst ? nil : plan
  }

  /// Where the rows of such a picture go.
  func rows(
    of size: PixelSize, format: PixelFormat, isOpaque: Bool, profile: ColorProfile?
  ) throws(ImagingError) -> RowResampler? {
    guard let plan = try plan(of: size, format: format, isOpaque: isOpaque, profile: profile) else {
      return nil
    }
    return try RowResampler(plan)
  }
}
