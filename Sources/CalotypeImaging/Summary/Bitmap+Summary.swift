import CPixels

extension Bitmap {
  /// Returns a summary of the picture.
  ///
  /// The average and the transparency include all pixels. The rest comes from one copy, shrunk by the
  /// ``ResampleFilter/box`` to lie within 100×100 pixels. Pixels that are not ``PixelFormat/rgba8`` are converted
  /// first; the orientation is not applied, and colours are taken for sRGB.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  /// - Complexity: O(pixels). Blocks; call it off the cooperative pool.
  public func facts() throws(ImagingError) -> ImageSummary {
    let pixels = try converted(to: .rgba8)
    let average = try pixels.average()
    let small = try pixels.shrunkForFacts()
    return ImageSummary(
      averageColor: average.color, dominantColors: try DominantColor.all(of: small, count: 5),
      hasTransparency: average.hasTransparency, blurHash: try BlurHash(of: small).text,
      thumbHash: try ThumbHash(of: small).bytes)
  }

  /// Returns the mean of all pixels, with colours weighted by their alpha; ``PixelColor/clear`` if no pixel is visible.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func averageColor() throws(ImagingError) -> PixelColor {
    try converted(to: .rgba8).average().color
  }

  /// Returns true if any pixel is not fully opaque.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func hasTransparency() throws(ImagingError) -> Bool {
    if isOpaque { return false }
    // 8 bits cannot tell the highest values of alpha apart.
    if format == .rgba16 {
      return withUnsafeBytes { bytes in
        let samples = bytes.bindMemory(to: UInt16.self)
        return stride(from: 3, to: samples.count, by: 4).contains { samples[$0] != .max }
      }
    }
    return try converted(to: .rgba8).average().hasTransparency
  }

  /// Returns the colours that represent most of the picture, the one with the largest share first; none if no pixel is
  /// visible.
  ///
  /// The method is median cuts of a copy within 100×100 pixels, with each pixel weighted by its alpha.
  ///
  /// - Parameter count: The largest number of colours, 1 to 16. There are fewer if colours hardly differ.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``.
  public func dominantColors(count: Int = 5) throws(ImagingError) -> [DominantColor] {
    guard (1...16).contains(count) else {
      throw .invalidParameter(name: "count", reason: "1 to 16 colours can be asked for, not \(count)")
    }
    return try DominantColor.all(of: converted(to: .rgba8).shrunkForFacts(), count: count)
  }

  /// Returns a palette: the picture's own colours if there are no more than `count`, and else colours found by median cuts.
  /// Those with transparency come first.
  ///
  /// - Parameter count: The largest number of colours, 1 to 256.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``.
  /// - Complexity: O(pixels). Blocks; call it off the cooperative pool.
  public func palette(count: Int) throws(ImagingError) -> [PixelColor] {
    try Palette.make(from: converted(to: .rgba8), maxColors: count).colors.map {
      PixelColor(red: $0.red, green: $0.green, blue: $0.blue, alpha: $0.alpha)
    }
  }

  /// Returns a copy within 100×100 pixels, the limit of ThumbHash; the rgba8 bitmap itself if it is small enough.
  func shrunkForFacts() throws(ImagingError) -> Bitmap {
    let box = PixelSize(width: ThumbHash.largestSide, height: ThumbHash.largestSide)
    return try shrunk(
      to: Thumbnail(box: box, mode: .fit, filter: .box), sourceSize: size, orientation: .topLeft)
  }

  private func average() throws(ImagingError) -> (color: PixelColor, hasTransparency: Bool) {
    var sums: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let count = size.pixelCount
    try withUnsafeBytes { bytes throws(ImagingError) in
      guard let pixels = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      var first = 0
      while first < count {
        if Task.isCancelled { throw .cancelled }
        let batch = min(1 << 22, count - first)
        withUnsafeMutableBytes(of: &sums) {
          cpx_color_sums(pixels + 4 * first, batch, $0.bindMemory(to: UInt64.self).baseAddress)
        }
        first += batch
      }
    }
    let alpha = sums.3
    guard alpha > 0 else { return (.clear, true) }
    func mean(_ sum: UInt64) -> UInt8 { UInt8((sum + alpha / 2) / alpha) }
    let color = PixelColor(
      red: mean(sums.0), green: mean(sums.1), blue: mean(sums.2),
      alpha: UInt8((alpha + UInt64(count) / 2) / UInt64(count)))
    return (color, alpha < 255 * UInt64(count))
  }
}
