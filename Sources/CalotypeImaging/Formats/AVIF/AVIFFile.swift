#if AVIF
/// A complete AVIF file, whose boxes are read.
struct AVIFFile {
  let media: ISOMediaFile
  let info: ImageInfo
  private let bytes: UnsafeRawBufferPointer

  /// Reads the boxes.
  init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    let span = bytes.bytes
    guard ImageFormat.sniff(span.extracting(first: ImageFormat.sniffLength)) == .avif else {
      throw bytes.isEmpty ? .emptyInput : .unrecognizedFormat(hint: nil)
    }
    guard let media = try ISOMediaFile(span, isWhole: true, format: .avif, limits: limits) else {
      throw .truncated(.avif, byteCount: bytes.count)
    }
    (self.media, self.bytes) = (media, bytes)
    info = media.info(span, limits: limits)
  }

  /// Decodes the primary picture or the first frame, and resamples its rows for a shrinker.
  func image(
    minimumSize: PixelSize?, options: DecodeOptions, watch: DecodeLimits.DeadlineChecker,
    shrinkingBy shrinker: RowShrinker? = nil
  ) throws(ImagingError) -> Image {
    try OptionalLibrary.avif.require()
    let reader = AVIFPictureReader(file: media, bytes: bytes, limits: options.limits, watch: watch)
    let divisor = ScaleDivisor.largest(for: info.size, minimumSize: minimumSize)
    let pixels = try reader.pixels(divisor: divisor, options: options)
    return Image(
      bitmap: try pixels.bitmap(shrinkingBy: shrinker, options: options, watch), info: info,
      orientation: info.orientation, profile: pixels.profile,
      metadata: options.readsMetadata ? media.metadata(bytes, limits: options.limits) : ImageMetadata())
  }
}
#endif
