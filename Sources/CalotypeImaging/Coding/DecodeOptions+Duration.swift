extension DecodeOptions {
  /// Predicts the processor time of a decode with these options, to tell short work from long.
  ///
  /// The prediction comes from measurements of photographs on one machine and is typically right to a factor of two or
  /// three; properties that only the compressed data reveal are not included. ``transforms`` are not counted, except
  /// for a resize at the beginning.
  ///
  /// - Complexity: O(sides of a thumbnail).
  package func predictedDuration(for info: ImageInfo) -> Duration {
    DecodeWork(self, info)?.duration ?? .seconds(Int64.max)
  }
}

extension DecodeWork {
  /// Nanoseconds of a decode of a single pixel, with all fixed costs.
  private static let base = 20_000.0
  /// Nanoseconds of resampling for each source pixel, and of colour conversion and rotation for each pixel of the
  /// result.
  private static let shrinking = 2.2, converting = 4.0, turning = 1.0

  var duration: Duration {
    let source = Self.pixels(info.size)
    let result = thumbnail.map(Self.pixels) ?? Self.pixels(decoded)
    var nanoseconds = Self.base + source * nanosecondsPerPixel
    if thumbnail != nil { nanoseconds += Self.pixels(decoded) * Self.shrinking }
    if layout.hasProfile, options.colors == .sRGB { nanoseconds += result * Self.converting }
    if options.appliesOrientation, info.orientation != .topLeft { nanoseconds += result * Self.turning }
    return .nanoseconds(Int64(min(nanoseconds, 0x1p62)))
  }

  /// Nanoseconds of the decoder alone for each source pixel.
  private var nanosecondsPerPixel: Double {
    switch info.format {
    case .jpeg:
      let samples = layout.samplesPerPixel
      // All coefficients are read at every scale; with several scans, reading them dominates the time.
      if layout.coefficientByteCount > 0 { return 4 + 5 * samples }
      return 0.85 * samples + (0.5 + 0.95 * samples) / Double(denominator * denominator)
    case .png, .apng:
      return layout.isKnown ? 3.3 * Double(layout.inflatedByteCount) / max(1, Self.pixels(info.size)) : 10
    case .webp: return layout.isLossless ? 23 : info.hasAlpha ? 15 : 10
    case .gif: return 5.5
    default: return 10
    }
  }
}
