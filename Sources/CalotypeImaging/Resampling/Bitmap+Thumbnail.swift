extension Bitmap {
  /// Returns the pixels of a thumbnail, still in stored axes.
  ///
  /// - Parameters:
  ///   - thumbnail: The box, upright.
  ///   - sourceSize: The size of the whole picture as stored; this bitmap may be smaller, if the codec has shrunk it
  ///     while decoding.
  ///   - orientation: The orientation of the stored picture.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a box without size; the errors of
  ///   ``resampled(to:from:filter:pool:)``.
  func shrunk(
    to thumbnail: Thumbnail, sourceSize: PixelSize, orientation: Orientation
  ) throws(ImagingError) -> Bitmap {
    let (size, region) = try thumbnail.resize(of: size, sourceSize: sourceSize, orientation: orientation)
    return try resampled(
      to: size, from: region, filter: thumbnail.filter, linearLight: thumbnail.linearLight)
  }
}

extension Thumbnail {
  /// Returns the resampling plan, in stored axes, from a decoded picture to the thumbnail.
  ///
  /// - Parameters:
  ///   - decoded: The size of the decoded picture: that of the source, or smaller.
  ///   - sourceSize: The size of the whole picture as stored.
  ///   - orientation: The orientation of the stored picture.
  func resize(
    of decoded: PixelSize, sourceSize: PixelSize, orientation: Orientation
  ) throws(ImagingError) -> (size: PixelSize, region: Bitmap.Region) {
    let geometry = try geometry(for: orientation.apply(to: sourceSize))
    // Crops are centred to half a pixel, so mirroring and rotating by 180 degrees do not move them; unscaled crops use
    // whole pixels, with the remainder at one side.
    let region = orientation.stored(geometry.region, of: sourceSize)
    let pixels = Self.reduction(of: sourceSize, to: decoded)
    return (
      orientation.apply(to: geometry.size),
      region.scaled(horizontal: pixels.horizontal, vertical: pixels.vertical).clipped(to: decoded)
    )
  }

  /// Returns the number of pixels of the decoded bitmap per pixel of the source.
  ///
  /// JPEG decoders deliver ⌈n · k / 8⌉ pixels: the last may represent less than the others, so the ratio of the sizes
  /// is off by up to one pixel.
  private static func reduction(of source: PixelSize, to decoded: PixelSize) -> (
    horizontal: Double, vertical: Double
  ) {
    if decoded == source { return (1, 1) }
    for eighths in 1..<8 {
      let width = source.width.multipliedReportingOverflow(by: eighths)
      let height = source.height.multipliedReportingOverflow(by: eighths)
      guard !width.overflow, !height.overflow else { break }
      if (width.partialValue - 1) / 8 + 1 == decoded.width,
        (height.partialValue - 1) / 8 + 1 == decoded.height
      {
        return (Double(eighths) / 8, Double(eighths) / 8)
      }
    }
    return (Double(decoded.width) / Double(source.width), Double(decoded.height) / Double(source.height))
  }
}

extension Orientation {
  /// Where a region of the upright picture lies in the stored one of this size.
  fileprivate func stored(_ region: Bitmap.Region, of size: PixelSize) -> Bitmap.Region {
    var stored = swapsAxes ? region.transposed : region
    let width = Double(size.width)
    let height = Double(size.height)
    switch self {
    case .topLeft, .leftTop: break
    case .topRight, .leftBottom: stored.x = width - stored.x - stored.width
    case .bottomRight, .rightBottom:
      stored.x = width - stored.x - stored.width
      stored.y = height - stored.y - stored.height
    case .bottomLeft, .rightTop: stored.y = height - stored.y - stored.height
    }
    return stored
  }
}
