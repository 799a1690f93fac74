extension Thumbnail {
  /// Whether colours have to be converted before they are mixed: in linear light, what the numbers mean counts.
  func needsSRGB(_ profile: ColorProfile?, _ format: PixelFormat, _ options: DecodeOptions) -> Bool {
    linearLight && options.colors == .sRGB && (format == .cmyk8 || !(profile.map { $0 == .sRGB } ?? true))
  }
}
