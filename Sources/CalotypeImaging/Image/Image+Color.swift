extension Image {
  /// The image in sRGB: its colours converted from ``profile``, which is `nil` afterwards.
  ///
  /// Without a profile, with an sRGB one, and with one that cannot be used for these pixels, the pixels stay as they
  /// are, at no cost; CMYK always becomes ``PixelFormat/rgba8``. See ``Bitmap/converted(from:keepsGray:limits:pool:)``
  /// for how.
  ///
  /// - Parameters:
  ///   - keepsGray: Whether ``PixelFormat/gray8`` stays so.
  ///   - limits: Stops the conversion after ``DecodeLimits/maxDuration``.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the time; never because of the profile.
  public func convertedToSRGB(
    keepsGray: Bool = true, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Image {
    guard profile != nil || bitmap.format == .cmyk8 else { return self }
    return Image(
      bitmap: try bitmap.converted(from: profile, keepsGray: keepsGray, limits: limits), info: info,
      orientation: orientation, isPartial: isPartial, profile: nil, metadata: metadata)
  }
}
