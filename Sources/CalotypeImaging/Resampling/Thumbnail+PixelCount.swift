extension PixelSize {
  /// Returns the size of a picture of this size after shrinking it in proportion to at most so many pixels.
  ///
  /// It is the size itself, if it has no more pixels. Otherwise ⌊√(limit · width / height)⌋ × ⌊√(limit · height /
  /// width)⌋, exactly, so that a rotated picture has the rotated size. If a side would be 0, it is 1 and the other is
  /// the limit. A limit below 1 counts as 1.
  ///
  /// - Parameter limit: The most pixels; neither side of the result is 0 or longer than before.
  public func shrunk(toPixelCount limit: Int) -> PixelSize {
    let limit = max(1, limit)
    guard width > 0, height > 0, pixelCount > limit else { return self }
    func side(_ side: Int, _ other: Int) -> Int {
      Self.squareRoot(UInt128(limit) * UInt128(side) / UInt128(other))
    }
    let size = PixelSize(width: side(width, height), height: side(height, width))
    if size.width == 0 { return PixelSize(width: 1, height: limit) }
    if size.height == 0 { return PixelSize(width: limit, height: 1) }
    return size
  }

  /// Returns ⌊√value⌋, for less than 2¹²⁶.
  private static func squareRoot(_ value: UInt128) -> Int {
    var root = UInt128(0)
    var bit = UInt128(1) << 62
    while bit > 0 {
      let candidate = root | bit
      if candidate * candidate <= value { root = candidate }
      bit >>= 1
    }
    return Int(root)
  }
}

extension Thumbnail {
  /// Returns a thumbnail reduced to a limit of pixels; `nil` if the picture stays unchanged.
  ///
  /// - Parameters:
  ///   - thumbnail: The requested thumbnail, if any.
  ///   - source: The size of the picture, upright.
  ///   - limit: The most pixels.
  ///   - enlarges: Pass true for a drawing, which is drawn at the size of the thumbnail.
  static func limited(
    _ thumbnail: Thumbnail?, of source: PixelSize, toPixelCount limit: Int, enlarges: Bool = false
  ) -> Thumbnail? {
    let limit = max(1, limit)
    guard var thumbnail else {
      guard source.width > 0, source.height > 0, source.pixelCount > limit else { return nil }
      return Thumbnail(box: source.shrunk(toPixelCount: limit), mode: .stretch)
    }
    // An invalid thumbnail is reported when it is made.
    guard let geometry = try? thumbnail.geometry(for: source, enlarges: enlarges),
      geometry.size.pixelCount > limit
    else {
      return thumbnail
    }
    let showsAll = geometry.size == geometry.scaledSize
    // Proportions are computed from the picture, not from sides that were rounded.
    let keepsProportions = thumbnail.mode != .stretch || thumbnail.box.width == 0 || thumbnail.box.height == 0
    let isSource = showsAll && keepsProportions && !enlarges
    thumbnail.box = (isSource ? source : geometry.size).shrunk(toPixelCount: limit)
    if showsAll { thumbnail.mode = .stretch }
    return thumbnail
  }
}
