extension ImageResponse {
  /// The kind of an image: still or animated.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One frame.
    case still
    /// Several frames.
    case animated
  }
}
