extension Bitmap {
  /// Returns a picture of 16 bits per sample in sRGB with 8, rounded once.
  ///
  /// - Parameters:
  ///   - points: The code points of the pixels.
  ///   - limits: The limits; the conversion stops after ``DecodeLimits/maxDuration``.
  ///   - pool: The pool for the memory of the result.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the time.
  func rounded(
    from points: ColorProfile.CodePoints, limits: DecodeLimits = .default, pool: PixelPool = .shared
  ) throws(ImagingError) -> Bitmap {
    guard format == .rgba16, let transform = ColorCache.shared.lightTransform(from: points, format: format)
    else {
      return try converted(from: .cicp(points), limits: limits, pool: pool).converted(to: .rgba8, pool: pool)
    }
    let watch = DecodeLimits.DeadlineChecker(limits)
    return try Bitmap(size: size, format: .rgba8, pool: pool) { target throws(ImagingError) in
      try withUnsafeBytes { source throws(ImagingError) in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        let batch = 1 << 15
        for start in stride(from: 0, to: size.pixelCount, by: batch) {
          try watch.check()
          transform.round(from + 8 * start, to: to + 4 * start, count: min(batch, size.pixelCount - start))
        }
      }
      return isOpaque
    }
  }
}
