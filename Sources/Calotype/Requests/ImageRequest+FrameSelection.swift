extension ImageRequest {
  /// The frames of an animation that a request selects.
  public enum FrameSelection: String, Hashable, Sendable, CaseIterable {
    /// The first frame: the response is a still image.
    case first
    /// All frames: the response has an `AnimatedImage` in addition to the first frame. It decodes frames on
    /// demand, and keeps the encoded original.
    case all
  }
}
