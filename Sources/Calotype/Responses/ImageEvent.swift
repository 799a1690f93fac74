/// What happens on the way to an image, in this order: any number of progress values, then one response.
public enum ImageEvent: Sendable {
  /// Bytes have arrived. Only the newest value is kept for a slow consumer.
  case progress(LoadProgress)
  /// The image; the sequence ends after it.
  case response(ImageResponse)
}
