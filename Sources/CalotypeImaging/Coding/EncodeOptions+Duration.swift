extension EncodeOptions {
  /// Predicts the processor time of encoding a picture with these options, to tell short work from long.
  ///
  /// The prediction comes from measurements of photographs on one machine and is typically right to a factor of two or
  /// three.
  public func predictedDuration(for size: PixelSize, frameCount: Int = 1) -> Duration {
    var pixels = Double(size.width) * Double(size.height) * Double(max(1, frameCount))
    if let side = maxPixelSize, side > 0 {
      let scale = min(1, Double(side) / Double(max(1, size.width, size.height)))
      pixels *= scale * scale
    }
    // A limit of bytes takes several attempts.
    let attempts = maxFileSize == nil ? 1.0 : 4.0
    let nanoseconds = 20_000 + attempts * nanosecondsPerPixel * pixels
    return .nanoseconds(Int64(min(nanoseconds, 0x1p62)))
  }

  private var nanosecondsPerPixel: Double {
    func by(_ fast: Double, _ balanced: Double, _ small: Double) -> Double {
      switch effort {
      case .fast: fast
      case .balanced: balanced
      case .small: small
      }
    }
    switch format {
    case .jpeg: return isProgressive ? 34 : by(4.5, 9.5, 34)
    case .png, .apng: return usesPalette ? 660 : by(31, 104, 304)
    case .webp: return isLossless ? by(232, 640, 11_600) : by(31, 136, 287)
    case .avif: return isLossless ? by(600, 900, 2_000) : by(40, 110, 400)
    case .gif: return 660
    case .jxl: return isLossless ? by(180, 420, 1650) : by(45, 130, 220)
    case .qoi: return 6
    case .bmp: return 3
    default: return 50
    }
  }
}
