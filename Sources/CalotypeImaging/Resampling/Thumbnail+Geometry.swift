extension Thumbnail {
  /// The geometry of a thumbnail for a picture of a particular size.
  struct Geometry: Hashable, Sendable {
    /// The size of the thumbnail.
    var size: PixelSize
    /// The part of the picture that it shows.
    var region: Bitmap.Region
    /// The size of the whole picture at the scale of the thumbnail: ``size`` unless something is cut off.
    var scaledSize: PixelSize
  }

  /// The ratio to the thumbnail at which a codec decodes whose only scales are halves, quarters and so on.
  ///
  /// The scaling of such codecs is coarse, so they deliver more pixels than requested, and ``ResampleFilter`` does the
  /// rest. JPEG photographs of 5 to 24 megapixels, against full decode and Lanczos: 38 to 49 dB when decoded at 1 to
  /// 1.25 times the thumbnail, 48 to 53 dB at 1.8 to 2.3 times, 54 dB and more from 3.5 times on.
  ///
  /// Such codecs mix stored numbers, not light: in linear light they have to deliver twice as much again.
  var decodeOversampling: Double {
    let ratio =
      switch effort {
      case .fine: 2.0
      case .balanced: 1.5
      case .fast: 1.0
      }
    return linearLight ? 2 * ratio : ratio
  }

  /// Returns the geometry of the thumbnail of a picture of this size; both upright.
  ///
  /// Pictures are never enlarged. Sides are rounded to nearest, and at least 1. Crops are centred; unscaled ones may
  /// fall between pixels.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty picture, or a box with a negative side or
  ///   without any.
  func geometry(for source: PixelSize, enlarges: Bool = false) throws(ImagingError) -> Geometry {
    guard box.width >= 0, box.height >= 0, box.width > 0 || box.height > 0 else {
      throw .invalidParameter(name: "thumbnail", reason: "the box \(box) has no size")
    }
    guard source.width > 0, source.height > 0 else {
      throw .invalidParameter(name: "size", reason: "\(source) has no pixels")
    }
    try anchor.check("thumbnail", isCut: false)
    // With one side free there is one proportional answer in every mode.
    if box.width == 0 || box.height == 0 { return whole(source, at: fitted(source, enlarges)) }
    switch mode {
    case .fit:
      return whole(source, at: fitted(source, enlarges))
    case .stretch:
      return whole(source, at: limited(source, enlarges))
    case .outside:
      return whole(source, at: covering(source, enlarges))
    case .fill:
      return filled(source, enlarges)
    }
  }

  private func whole(_ source: PixelSize, at size: PixelSize) -> Geometry {
    Geometry(size: size, region: Bitmap.Region(source), scaledSize: size)
  }

  /// Returns the box, or less if the source is smaller and may not be enlarged.
  private func limited(_ source: PixelSize, _ enlarges: Bool) -> PixelSize {
    enlarges ? box : PixelSize(width: min(box.width, source.width), height: min(box.height, source.height))
  }

  /// Returns the largest size within the box, with the proportions of the source.
  private func fitted(_ source: PixelSize, _ enlarges: Bool) -> PixelSize {
    let widthCounts = box.width > 0 && (enlarges || box.width < source.width)
    let heightCounts = box.height > 0 && (enlarges || box.height < source.height)
    // box.width / source.width <= box.height / source.height, without division.
    let widthIsTighter =
      widthCounts
      && (!heightCounts || !Self.product(box.height, source.width, isBelow: box.width, source.height))
    if widthIsTighter {
      return PixelSize(
        width: box.width, height: Self.scale(source.height, by: box.width, over: source.width))
    }
    guard heightCounts else { return source }
    return PixelSize(width: Self.scale(source.width, by: box.height, over: source.height), height: box.height)
  }

  /// Returns the smallest size that covers the box, with the proportions of the source.
  private func covering(_ source: PixelSize, _ enlarges: Bool) -> PixelSize {
    guard enlarges || (box.width < source.width && box.height < source.height) else { return source }
    // The larger of the two factors covers the box.
    if !Self.product(box.width, source.height, isBelow: box.height, source.width) {
      return PixelSize(
        width: box.width,
        height: max(box.height, Self.scale(source.height, by: box.width, over: source.width)))
    }
    return PixelSize(
      width: max(box.width, Self.scale(source.width, by: box.height, over: source.height)),
      height: box.height)
  }

  private func filled(_ source: PixelSize, _ enlarges: Bool) -> Geometry {
    let size = limited(source, enlarges)
    let scaled = covering(source, enlarges)
    guard enlarges || scaled != source else {
      // The picture is too small to cover the box, or just large enough: it is only cropped, between pixels.
      let (x, y) = anchor.origin(of: size, in: source)
      let region = Bitmap.Region(
        x: Double(x), y: Double(y), width: Double(size.width), height: Double(size.height))
      return Geometry(size: size, region: region, scaledSize: source)
    }
    var region = Bitmap.Region(source)
    if scaled.width == box.width {
      region.height = min(region.height, Double(box.height) * Double(source.width) / Double(box.width))
    }
    if scaled.height == box.height {
      region.width = min(region.width, Double(box.width) * Double(source.height) / Double(box.height))
    }
    let (x, y) = anchor.position(width: region.width, height: region.height, in: source)
    region.x = min(max(0, x), Double(source.width) - region.width)
    region.y = min(max(0, y), Double(source.height) - region.height)
    return Geometry(size: size, region: region, scaledSize: scaled)
  }

  /// Returns `value * numerator / denominator`, rounded to nearest, at least 1.
  private static func scale(_ value: Int, by numerator: Int, over denominator: Int) -> Int {
    let product = Int128(value) * Int128(numerator)
    let rounded = (2 * product + Int128(denominator)) / (2 * Int128(denominator))
    return max(1, Int(clamping: rounded))
  }

  /// Returns true if a · b < c · d.
  private static func product(_ a: Int, _ b: Int, isBelow c: Int, _ d: Int) -> Bool {
    Int128(a) * Int128(b) < Int128(c) * Int128(d)
  }
}

extension Thumbnail {
  /// Returns the smallest size, in stored axes, that a codec which can shrink while decoding may deliver.
  ///
  /// It is ``decodeOversampling`` times the size of the whole picture at the scale of the thumbnail.
  ///
  /// - Parameters:
  ///   - sourceSize: The size of the picture as stored.
  ///   - orientation: The orientation of the stored picture; the box of the thumbnail is upright.
  /// - Returns: `nil` if only the full size is enough.
  func minimumDecodeSize(sourceSize: PixelSize, orientation: Orientation) throws(ImagingError) -> PixelSize? {
    let scaled = try scaledSize(sourceSize: sourceSize, orientation: orientation)
    let size = PixelSize(
      width: min(scaled.width.saturatingProduct(decodeOversampling), sourceSize.width),
      height: min(scaled.height.saturatingProduct(decodeOversampling), sourceSize.height))
    return size == sourceSize ? nil : size
  }

  /// Returns the size of the whole picture at the scale of the thumbnail, in stored axes.
  func scaledSize(sourceSize: PixelSize, orientation: Orientation) throws(ImagingError) -> PixelSize {
    orientation.apply(to: try geometry(for: orientation.apply(to: sourceSize)).scaledSize)
  }
}

extension Int {
  fileprivate func saturatingProduct(_ factor: Double) -> Int {
    Int(exactly: (Double(self) * factor).rounded(.up)) ?? .max
  }
}
