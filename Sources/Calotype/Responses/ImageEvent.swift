public import CalotypeImaging

/// What happens on the way to an image, in this order, as far as it happens. The last three end the sequence.
public enum ImageEvent: Sendable {
  /// The image is not in memory; the request stands in line.
  case queued
  /// Work on it has begun.
  case started
  /// Bytes have arrived. Only the newest value is kept for a slow consumer.
  case progress(LoadProgress)
  /// What can be seen of it so far, if ``ImageRequest/previews`` asks for that. Only the newest is kept.
  case preview(Image)
  /// A cached image that will do for now; the server is being asked whether there is a newer one.
  case staleResponse(ImageResponse)
  /// The image.
  case response(ImageResponse)
  /// The stale response is right: the server says that nothing has changed.
  case notModified(ImageResponse)
  /// There is nothing newer than the stale response to be had.
  case refreshFailed(any Error)
}
