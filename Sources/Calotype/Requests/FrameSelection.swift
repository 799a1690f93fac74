/// Which frames of an animation a request is about.
public enum FrameSelection: String, Hashable, Sendable, CaseIterable {
  /// The first: the response is a still picture.
  case first
  /// All: the response has an `AnimatedImage` beside the first frame. It decodes frames as they are asked for, and keeps the
  /// encoded original.
  case all
}

/// Whether a picture moves.
public enum ImageKind: String, Hashable, Sendable, CaseIterable {
  /// One frame.
  case still
  /// Several frames.
  case animated
}
