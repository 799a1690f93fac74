extension ImageRequest {
  /// Which previews of an image are made while it is downloaded.
  ///
  /// Previews go through the same transforms as the image, have `isPartial` set, and are never cached. Only the newest is
  /// kept for a slow consumer. None is made that would delay the image itself.
  public enum PreviewPolicy: Hashable, Sendable {
    /// None.
    case off
    /// One after each pass over the whole picture: scans of a progressive JPEG, passes of an interlaced PNG, the first
    /// frame of an animation.
    case everyPass
    /// What there is, at most once in this time: also the upper part of pictures without passes.
    case interval(Duration)
    /// One as soon as so many passes have arrived, and no other: what is good enough to look at.
    case pass(Int)
  }
}
