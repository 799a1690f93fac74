extension DecodeOptions {
  /// About the time that a decode by these options takes of one processor: to tell short work from long.
  ///
  /// From measurements of photographs on one machine, typically right to a factor of two or three; what only the compressed
  /// data can tell is not known. ``transforms`` are not counted beyond a resize at the beginning.
  ///
  /// - Complexity: O(sides of a thumbnail).
  package func predictedDuration(for info: ImageInfo) -> Duration {
    DecodeWork(self, info)?.duration ?? .seconds(Int64.max)
  }
}

extension DecodeWork {
  /// A decode of a single pixel, and all that goes with it.
  private static let base = 20_000.0
  /// Of a resize, for a pixel that it reads; of the conversion of colours, and of a turn, for a pixel of the result.
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

  /// Of the decoder alone, for a pixel of the source.
  private var nanosecondsPerPixel: Double {
    switch info.format {
    case .jpeg:
      let samples = layout.samplesPerPixel
      // Coefficients are read whatever becomes of them; in several scans, that is what takes the time.
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
