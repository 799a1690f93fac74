#if JXL
import CJXL

/// The settings of the encoder for the scales of ``EncodeOptions``.
enum JXLQuality {
  /// Distances by quality: those at which photographs score, by SSIMULACRA2 in the mean of five, as they do in WebP at
  /// that quality.
  private static let distances: [(quality: Double, distance: Double)] = [
    (0, 15), (10, 11.2), (20, 8), (30, 6.2), (40, 5.05), (50, 4.3), (60, 3.7), (70, 3.15), (75, 2.9),
    (80, 2.2),
    (85, 1.6), (90, 1.1), (95, 0.7), (100, 0.5),
  ]

  /// Returns the distance of lossy pictures; it falls with every step of quality.
  static func distance(for quality: Int) -> Float {
    let quality = Double(min(max(quality, 0), 100))
    guard let upper = distances.firstIndex(where: { $0.quality >= quality }), upper > 0 else {
      return Float(distances[0].distance)
    }
    let (a, b) = (distances[upper - 1], distances[upper])
    let share = (quality - a.quality) / (b.quality - a.quality)
    return Float(a.distance + (b.distance - a.distance) * share)
  }

  /// Returns the effort on the scale of libjxl, 1 to 9.
  static func effort(_ effort: EncodeOptions.Effort) -> Int32 {
    switch effort {
    case .fast: 3
    case .balanced: 5
    case .small: 7
    }
  }
}
#endif
