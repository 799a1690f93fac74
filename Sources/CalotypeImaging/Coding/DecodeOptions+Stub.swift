extension DecodeOptions {
  package func workingByteCount(for info: ImageInfo) -> Int { outputByteCount(for: info) }
  package func predictedDuration(for info: ImageInfo) -> Duration { .nanoseconds(info.size.byteCount * 2) }
}
extension EncodeOptions {
  package func predictedDuration(for image: Image) -> Duration { .nanoseconds(image.bitmap.byteCount * 10) }
}
