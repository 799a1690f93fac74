/// A deviation from the request that does not make it fail.
public enum PlanNotice: String, Hashable, Sendable, CaseIterable {
  /// A gravity of objects became the smart one, because there is no model.
  case objectsBecameSmart
  /// A border of an animation was not trimmed.
  case animationNotTrimmed
  /// The best format was not searched for, because the result is too large; the format was chosen as if none had been asked
  /// for.
  case bestFormatNotSearched
  /// The result was scaled down to the largest picture of its format.
  case scaledToFormat
  /// The result is too small for AVIF, and has another format.
  case tooSmallForAVIF
  /// A drawing was drawn smaller, because it has more pixels than a source may have.
  case drawnSmaller
  /// There is no watermark to draw.
  case noWatermark
}
