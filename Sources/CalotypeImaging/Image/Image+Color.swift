extension Image {
  /// Returns the image in sRGB: its colours are converted from ``profile``, which is then `nil`.
  ///
  /// Without a profile, with an sRGB one, and with one that cannot be used for these pixels, the pixels stay unchanged,
  /// at no cost; CMYK always becomes ``PixelFormat/rgba8``. ``Bitmap/converted(from:keepsGray:limits:pool:)`` describes
  /// the conversion.
  ///
  /// - Parameters:
  ///   - keepsGray: Pass true to keep ``PixelFormat/gray8``.
  ///   - limits: The limits; the conversion stops after ``DecodeLimits/maxDuration``.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)`` for the time; never because of the profile.
  public func convertedToSRGB(
    keepsGray: Bool = true, limits: DecodeLimits = .default
  ) throws(ImagingError) -> Image {
    guard profile != nil || bitmap.format == .cmyk8 else { return self }
    return inSRGB(try bitmap.converted(from: profile, keepsGray: keepsGray, limits: limits))
  }

  /// Returns the image with its pixels in sRGB.
  func inSRGB(_ bitmap: Bitmap) -> Image {
    Image(
      bitmap: bitmap, info: info, orientation: orientation, isPartial: isPartial, profile: nil,
      metadata: metadata)
  }
}
