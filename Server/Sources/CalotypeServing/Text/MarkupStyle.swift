/// The look of a run of text.
struct MarkupStyle: Hashable, Sendable {
  /// The size of the font in pixels.
  var size = MarkupStyle.standardSize
  /// The weight of the font, 100 to 1000.
  var weight = 400
  /// The slope: `normal`, `oblique` or `italic`.
  var slope = "normal"
  /// The colour in the notation of CSS.
  var color = "#000000"
  /// Whether a line runs beneath the text.
  var isUnderlined = false
  /// Whether a line runs through the text.
  var isStruck = false
  /// The distance of the text from its line in pixels, upwards.
  var rise = 0.0

  /// The size of text that names none: 16 points at 72 dots per inch.
  static let standardSize = 16.0
  /// The sizes that are drawn, in pixels.
  static let sizes = 1.0...400.0

  /// The factor of the size of text above and below the line.
  private static let scriptScale = 0.7

  /// Moves text above its line, or below it, and makes it smaller.
  mutating func shift(by share: Double) {
    rise += share * size
    size = max(MarkupStyle.sizes.lowerBound, size * Self.scriptScale)
  }
}
