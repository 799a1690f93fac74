public import CalotypeImaging

extension CoderRegistry {
  /// A registry of decoders that process hostile bytes without C code of this package: JPEG by TurboJPEG, PNG and APNG
  /// by libspng, WebP by libwebp, GIF by giflib.
  ///
  /// The libraries decompress and make pixels; structures that they do not support (APNG, JPEG metadata) are read in
  /// Swift with checked bounds, and frames are composited here. Limits, orientation, colours, thumbnails and animations
  /// are those of `CoderRegistry.standard`. Differences:
  ///
  /// * Of these four, only WebP is decoded incrementally. The other formats are collected and decoded at the end, without previews.
  /// * Thumbnails are resampled after decoding, which takes the memory of the whole picture. JPEG is decoded at a
  ///   reduced scale, as by `JPEGDecoder`.
  /// * TurboJPEG decodes a picture in one call, which checks neither cancellation nor the time limit.
  ///   `DecodeLimits.maxPixels` and `DecodeLimits.maxScans` bound it.
  ///
  /// The encoders, all other decoders, and the formats that are described without being decoded, are those of
  /// `CoderRegistry.standard`.
  public static let libraries: CoderRegistry = {
    var registry = plain
    registry.register(TurboJPEGDecoder())
    registry.register(SPNGDecoder())
    registry.register(WebPDecoder())
    registry.register(GIFLibDecoder())
    return registry
  }()
}
