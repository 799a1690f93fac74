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
    // A limit of bytes takes several attempts, and so does a target, whose attempts are decoded and measured.
    let attempts = (maxFileSize == nil ? 1.0 : 3.0) + (qualityTarget == nil ? 0 : 2.0)
    let measuring = qualityTarget == nil ? 0 : 17 + 3 * 20.0
    let nanoseconds = 20_000 + (attempts * nanosecondsPerPixel + measuring) * pixels
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
    case .jpeg: return isProgressive ? 34 : by(4.5, 9.5, 45)
    case .png, .apng: return usesPalette ? 400 : by(40, 125, 950)
    case .webp: return isLossless ? by(232, 640, 900) : by(45, 136, 287)
    case .avif: return isLossless ? by(600, 900, 2_000) : by(40, 110, 400)
    case .gif: return 660
    case .jxl: return isLossless ? by(180, 420, 1650) : by(45, 130, 220)
    // Up to three formats are tried.
    case .automatic: return possibleFormats.contains(.avif) ? by(40, 110, 400) : by(300, 800, 1_300)
    case .qoi: return 6
    case .bmp: return 3
    default: return 50
    }
  }
}
