/// The formats that suit a content.
enum AutomaticFormat {
  struct Content: Hashable, Sendable {
    var hasAlpha = false
    /// Whether a palette holds all colours.
    var hasFewColors = false
    /// Whether there are flat areas and sharp edges, unlike in a photo.
    var isDrawing = false
    var isAnimated = false
  }

  struct Way: Hashable, Sendable {
    let format: ImageFormat
    let isLossless: Bool
  }

  /// Returns the ways to try; never none if there is a format.
  static func ways(for content: Content, among formats: [ImageFormat]) -> [Way] {
    func ways(_ candidates: [(ImageFormat, Bool)]) -> [Way] {
      candidates.filter { formats.contains($0.0) }.map { Way(format: $0.0, isLossless: $0.1) }
    }
    let fallback = formats.last.map { [Way(format: $0, isLossless: keepsEveryPixel($0))] } ?? []
    if content.isAnimated {
      let lossless = ways([(.webp, true), (.gif, false), (.apng, true)])
      let lossy = ways([(.webp, false)])
      if content.hasFewColors { return lossless.isEmpty ? fallback : lossless }
      return [lossy, ways([(.avif, false)]), lossless].first { !$0.isEmpty } ?? fallback
    }
    let lossless = ways([(.webp, true), (.png, true), (.jxl, true)])
    if content.hasFewColors, !lossless.isEmpty { return lossless }
    let lossy =
      ways([(.avif, false)]).first.map { [$0] }
      ?? ways(
        content.hasAlpha ? [(.webp, false), (.jxl, false)] : [(.webp, false), (.jpeg, false), (.jxl, false)])
    // A drawing may take less without loss than with.
    if content.isDrawing, !lossless.isEmpty { return lossless.prefix(1) + lossy }
    if !lossy.isEmpty { return lossy }
    if !lossless.isEmpty { return lossless }
    return ways([(.gif, false)]).first.map { [$0] } ?? fallback
  }

  private static func keepsEveryPixel(_ format: ImageFormat) -> Bool {
    [.png, .apng, .qoi, .bmp, .ico].contains(format)
  }
}
