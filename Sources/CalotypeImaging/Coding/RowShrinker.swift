/// A maker of one or more thumbnails during a single decode of a picture.
public final class RowShrinker {
  private let thumbnails: [Thumbnail]
  private let info: ImageInfo
  private let options: DecodeOptions
  /// The thumbnails, if the decoder was able to make them.
  private(set) var bitmaps: [Bitmap] = []
  /// A Boolean value that indicates whether the tones of the rows were mapped, so that the thumbnails are in sRGB.
  private var mapsTones = false
  /// A Boolean value that indicates whether the decoded bitmap is the first thumbnail.
  public var isUsed: Bool { !bitmaps.isEmpty }

  init(_ thumbnails: [Thumbnail], of info: ImageInfo, options: DecodeOptions) {
    self.thumbnails = thumbnails
    self.info = info
    self.options = options
  }

  /// Returns the resampling plans from a picture to the thumbnails.
  ///
  /// - Parameters:
  ///   - size: The size that the decoder delivers, in stored axes.
  ///   - format: The layout of its pixels.
  ///   - isOpaque: Pass true if all pixels are opaque.
  ///   - profile: The colour profile of the pixels.
  /// - Returns: `nil` if any thumbnail requires the whole picture.
  func plans(
    of size: PixelSize, format: PixelFormat, isOpaque: Bool, profile: ColorProfile?
  ) throws(ImagingError) -> [ResamplePlan]? {
    var plans: [ResamplePlan] = []
    for thumbnail in thumbnails {
      guard
        let plan = try plan(thumbnail, of: size, format: format, isOpaque: isOpaque, profile: profile)
      else { return nil }
      plans.append(plan)
    }
    return plans.isEmpty ? nil : plans
  }

  private func plan(
    _ thumbnail: Thumbnail, of size: PixelSize, format: PixelFormat, isOpaque: Bool, profile: ColorProfile?
  ) throws(ImagingError) -> ResamplePlan? {
    guard format != .gray8, !thumbnail.needsSRGB(profile, format, options) else { return nil }
    let orientation = options.appliesOrientation ? info.orientation : .topLeft
    let (target, region) = try thumbnail.resize(
      of: size, sourceSize: options.sourceSize(of: info), orientation: orientation)
    if target == size, region == Bitmap.Region(size) { return nil }
    try ResamplePlan.check(size: target, region: region, of: size)
    let plan = ResamplePlan(
      source: size, format: format, isOpaque: isOpaque, size: target, region: region,
      filter: thumbnail.filter, linearLight: thumbnail.linearLight)
    return plan.reducesFirst ? nil : plan
  }

  /// Returns the sink for the rows of a picture. Tones of high dynamic range are mapped row by row, before rows are
  /// resampled.
  public func rows(
    of size: PixelSize, format: PixelFormat, isOpaque: Bool, profile: ColorProfile?
  ) throws(ImagingError) -> RowSink? {
    if options.mapsTones(of: profile), case .cicp(let points)? = profile,
      let conversion = RowConversion(from: points, format: format)
    {
      guard let plans = try plans(of: size, format: .rgba8, isOpaque: isOpaque, profile: nil) else {
        return nil
      }
      mapsTones = true
      return try RowSink(plans, converting: conversion)
    }
    guard let plans = try plans(of: size, format: format, isOpaque: isOpaque, profile: profile) else {
      return nil
    }
    return try RowSink(plans)
  }

  /// Returns the resizes of planes of luma and chroma to the only thumbnail.
  ///
  /// - Parameters:
  ///   - luma: The size of the plane of luma that the decoder delivers.
  ///   - divisor: The scale of that plane is 1/`divisor`.
  ///   - chroma: The luma samples per chroma sample in each direction, both planes as stored.
  ///   - source: The size of the picture as stored.
  ///   - profile: The colour profile of the pixels.
  /// - Returns: `nil` if a thumbnail requires pixels, or more detail than the planes of chroma have. Thumbnails of all
  ///   efforts but ``Thumbnail/Effort/balanced`` have the same bytes on all paths, and the others have pixels.
  func planes(
    of luma: PixelSize, divisor: Int, chroma: (horizontal: Int, vertical: Int), source: PixelSize,
    profile: ColorProfile?
  ) throws(ImagingError) -> PlanePlan? {
    guard thumbnails.count == 1, let thumbnail = thumbnails.first, thumbnail.effort == .balanced,
      !thumbnail.linearLight, thumbnail.filter != .nearest,
      let plan = try plan(thumbnail, of: luma, format: .rgba8, isOpaque: true, profile: profile)
    else { return nil }
    return PlanePlan(plan, divisor: divisor, chroma: chroma, source: source)
  }

  /// Takes the thumbnails after the last row; the first of them replaces the decoded picture.
  public func take(_ rows: RowSink) -> Bitmap? {
    guard let finished = rows.finished() else { return nil }
    bitmaps = finished
    return finished.first
  }

  /// Takes the only thumbnail from a decoder that makes it at once.
  func take(_ thumbnail: Bitmap) { bitmaps = [thumbnail] }

  /// Returns the decoded image without its profile if the thumbnails are in sRGB already.
  func finished(_ image: Image) -> Image { isUsed && mapsTones ? image.inSRGB(image.bitmap) : image }
}
