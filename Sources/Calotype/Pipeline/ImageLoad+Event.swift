public import CalotypeImaging

extension ImageLoad {
  /// Something that happens on the way to an image, in this order, as far as it happens.
  ///
  /// Each image comes as ``response(_:)``, and no sequence of events ends without one but by an error. A response with
  /// ``ImageResponse/isBeingRevalidated`` is followed by a newer one, by ``confirmed`` or by ``refreshFailed(_:)``.
  public enum Event: Sendable {
    /// The image is not in memory; the request waits for its turn.
    case queued
    /// Work on it has begun.
    case started
    /// Bytes have arrived. Only the newest value is kept for a slow consumer.
    case progress(LoadProgress)
    /// The image as far as it has arrived, if ``ImageRequest/previews`` asks for that. Only the newest is kept.
    case preview(Image)
    /// An image.
    case response(ImageResponse)
    /// The stale response is still right: the server answered that nothing has changed.
    case confirmed
    /// The server could not be asked about the stale response, or failed.
    case refreshFailed(any Error)
  }
}
