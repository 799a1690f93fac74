#if AVIF
/// The scale of quality.
enum AVIFQuality {
  /// Levels of libaom whose pictures score as those of WebP of quality 0, 10 … 100 by SSIMULACRA2, in the mean of
  /// photographs.
  private static let levels: [Double] = [49, 43, 39, 36, 33.4, 31, 28.8, 26.6, 21.4, 10.7, 3]

  /// Returns the level of constant quality of libaom, from 0, the best, to 63.
  static func level(_ quality: Int) -> Int32 {
    let position = Double(min(max(0, quality), 100)) / 10
    let index = min(Int(position), levels.count - 2)
    let fraction = position - Double(index)
    return Int32((levels[index] + fraction * (levels[index + 1] - levels[index])).rounded())
  }
}
#endif
