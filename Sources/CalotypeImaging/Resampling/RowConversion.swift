/// A conversion of rows to ``PixelFormat/rgba8`` before they are resampled.
struct RowConversion: Sendable {
  /// The bytes of a pixel that arrives.
  let bytesPerPixel: Int
  /// Converts this number of pixels from the first address to the second.
  let convert: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void
}
