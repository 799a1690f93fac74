public import CalotypeImaging

extension CoderRegistry {
  /// JPEG by TurboJPEG, PNG and APNG by libspng, WebP by libwebp, GIF by giflib: decoders in which hostile bytes meet
  /// no C code of this package.
  ///
  /// The libraries decompress and make pixels; structures that they do not know (APNG, JPEG metadata) are read in Swift
  /// with checked bounds, and frames are composited here. Limits, orientation, colours, thumbnails and animations are
  /// those of ``CoderRegistry/standard``. Differences:
  ///
  /// * Only WebP is decoded while its bytes arrive. The other formats are collected and decoded at the end, without
  ///   previews.
  /// * Thumbnails are made after decoding and not on the way, which takes the memory of the whole picture. JPEG is
  ///   decoded at a reduced size, as by ``JPEGDecoder``.
  /// * TurboJPEG decodes a picture in one call, in which neither cancellation nor the time limit is noticed.
  ///   ``DecodeLimits/maxPixels`` and ``DecodeLimits/maxScans`` bound it.
  ///
  /// The encoders are those of ``CoderRegistry/standard``.
  public static let libraries: CoderRegistry = {
    var registry = encoders
    registry.register(TurboJPEGDecoder())
    registry.register(SPNGDecoder())
    registry.register(WebPDecoder())
    registry.register(GIFLibDecoder())
    return registry
  }()
}
