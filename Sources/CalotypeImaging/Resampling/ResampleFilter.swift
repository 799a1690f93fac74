/// The reconstruction filter of a resize.
public enum ResampleFilter: String, Hashable, Sendable, CaseIterable {
  /// Windowed sinc of radius 3 (Duchon 1979): the sharpest.
  case lanczos3
}
