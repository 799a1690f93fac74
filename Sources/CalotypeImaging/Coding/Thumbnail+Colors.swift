extension Thumbnail {
  /// Returns true if colours have to be converted before resampling, because linear light depends on their colour
  /// space.
  func needsSRGB(_ profile: ColorProfile?, _ format: PixelFormat, _ options: DecodeOptions) -> Bool {
    linearLight && options.colors == .sRGB && (format == .cmyk8 || !(profile.map { $0 == .sRGB } ?? true))
  }
}
