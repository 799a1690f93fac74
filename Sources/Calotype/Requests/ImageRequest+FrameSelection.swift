extension ImageRequest {
  /// Which frames of an animation a request is about.
  public enum FrameSelection: String, Hashable, Sendable, CaseIterable {
    /// The first: the response is a still picture.
    case first
    /// All: the response has an `AnimatedImage` beside the first frame. It decodes frames as they are asked for, and keeps the
    /// encoded original.
    case all
  }
}

extension ImageResponse {
  /// Whether a picture moves.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One frame.
    case still
    /// Several frames.
    case animated
  }
}
