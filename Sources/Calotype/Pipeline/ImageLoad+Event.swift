public import CalotypeImaging

extension ImageLoad {
  /// An event of a load. Events come in the order of the cases, as far as they occur.
  ///
  /// Each image comes as ``response(_:)``, and a sequence of events without one ends with an error. A
  /// response with ``ImageResponse/isBeingRevalidated`` is followed by a newer one, by ``confirmed`` or by
  /// ``refreshFailed(_:)``.
  public enum Event: Sendable {
    /// The image is not in memory; the request waits for its turn.
    case queued
    /// Work on the image has begun.
    case started
    /// Bytes have arrived. Only the newest value is kept for a slow consumer.
    case progress(LoadProgress)
    /// A preview of the arriving image, if enabled by ``ImageRequest/previews``. Only the newest is kept.
    case preview(Image)
    /// An image.
    case response(ImageResponse)
    /// The server has confirmed that the stale response is unchanged.
    case confirmed
    /// The revalidation of the stale response failed, or was not possible.
    case refreshFailed(any Error)
  }
}
