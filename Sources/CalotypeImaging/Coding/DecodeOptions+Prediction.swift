extension DecodeOptions {
  /// Bytes to reserve for a decode by these options: the pixels that it delivers, and the whole picture where the format can
  /// only be shrunk as a whole. What coders take besides is not counted.
  package func workingByteCount(for info: ImageInfo) -> Int { outputByteCount(for: info) }

  /// How long a decode takes, roughly: it ranks work that waits. Five nanoseconds for each byte of the picture.
  package func predictedDuration(for info: ImageInfo) -> Duration {
    .nanoseconds(min(info.size.byteCount, 1 << 50) * 5)
  }
}

extension EncodeOptions {
  /// How long it takes to encode an image, roughly: it ranks work that waits. Ten nanoseconds for each byte of pixels.
  package func predictedDuration(for image: Image) -> Duration { .nanoseconds(image.bitmap.byteCount * 10) }
}
