extension RowConversion {
  /// Creates a conversion of rows of high dynamic range to sRGB in ``PixelFormat/rgba8``; `nil` for pixels that are not
  /// RGB.
  init?(from points: ColorProfile.CodePoints, format: PixelFormat) {
    guard let transform = ColorCache.shared.lightTransform(from: points, format: format) else { return nil }
    let isWide = format == .rgba16
    self.init(bytesPerPixel: format.bytesPerPixel) { input, output, count in
      if isWide {
        transform.round(input, to: output, count: count)
      } else {
        transform.convert(input, to: output, count: count)
      }
    }
  }
}
