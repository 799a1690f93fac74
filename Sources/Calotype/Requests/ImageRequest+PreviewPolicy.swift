extension ImageRequest {
  /// The previews of an image that are made during its download.
  ///
  /// Previews go through the same transforms as the image, have `isPartial` set, and are never cached. Only
  /// the newest is kept for a slow consumer. A preview that would delay the image itself is skipped.
  public enum PreviewPolicy: Hashable, Sendable {
    /// No previews.
    case off
    /// One preview after each pass over the whole image: scans of a progressive JPEG, passes of an
    /// interlaced PNG, the first frame of an animation.
    case everyPass
    /// A preview of the arrived part, at most once per interval: also the upper part of images without
    /// passes.
    case interval(Duration)
    /// A single preview, as soon as that many passes have arrived.
    case pass(Int)
  }
}
