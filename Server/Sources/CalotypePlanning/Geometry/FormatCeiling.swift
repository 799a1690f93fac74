import CalotypeImaging
import CalotypeURLs

/// The largest pictures that formats can hold; larger ones are scaled down, not refused.
enum FormatCeiling {
  /// Returns the size of a picture in a format.
  static func fitted(_ size: PixelSize, in format: RequestedFormat) -> PixelSize {
    var factor = 1.0
    if let side = longestSide(in: format) {
      factor = min(factor, 1 / (Double(max(size.width, size.height)) / Double(side)))
    }
    if let pixels = mostPixels(in: format), size.pixelCount > pixels {
      factor = min(factor, (Double(pixels) / (Double(size.width) * Double(size.height))).squareRoot())
    }
    guard factor < 1 else { return size }
    return PixelSize(
      width: max(1, Rounding.scaled(size.width, by: factor)),
      height: max(1, Rounding.scaled(size.height, by: factor)))
  }

  /// The shortest side of an AVIF in pixels: smaller pictures get another format.
  static let shortestAVIFSide = 16

  private static func longestSide(in format: RequestedFormat) -> Int? {
    switch format {
    case .webp: 16_383
    case .avif, .heic: 16_384
    case .gif: 65_535
    case .jpeg: 65_500
    case .ico: 256
    default: nil
    }
  }

  private static func mostPixels(in format: RequestedFormat) -> Int? {
    format == .gif ? Rounding.largest / 4 : nil
  }
}
