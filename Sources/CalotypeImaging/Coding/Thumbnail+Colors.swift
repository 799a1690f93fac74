extension Thumbnail {
  /// Returns true if colours have to be converted before resampling: linear light depends on their colour space, and
  /// the mean of mapped tones is not the mapped mean.
  func needsSRGB(_ profile: ColorProfile?, _ format: PixelFormat, _ options: DecodeOptions) -> Bool {
    options.mapsTones(of: profile)
      || (linearLight && options.converts(profile)
        && (format == .cmyk8 || !(profile.map { $0 == .sRGB } ?? true)))
  }
}
