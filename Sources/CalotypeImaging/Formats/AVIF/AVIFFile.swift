#if AVIF
/// A complete AVIF file, whose boxes are read.
struct AVIFFile {
  /// A conversion of planes to a bitmap.
  typealias Conversion =
    (AVIFPixels, ColorProfile?, DecodeLimits.DeadlineChecker) throws(ImagingError) -> Bitmap

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

  /// Decodes the primary picture or the first frame.
  func image(
    minimumSize: PixelSize?, options: DecodeOptions, watch: DecodeLimits.DeadlineChecker,
    _ convert: Conversion
  ) throws(ImagingError) -> Image {
    try OptionalLibrary.avif.require()
    let reader = AVIFPictureReader(file: media, bytes: bytes, limits: options.limits, watch: watch)
    let divisor = ScaleDivisor.largest(for: info.size, minimumSize: minimumSize)
    let (pixels, profile) = try reader.pixels(divisor: divisor, options: options)
    var bitmap = try convert(pixels, profile, watch)
    if options.pixels == .native, pixels.isGray, bitmap.format == .rgba8 {
      bitmap = try bitmap.converted(to: .gray8)
    }
    return Image(
      bitmap: bitmap, info: info, orientation: info.orientation, profile: profile,
      metadata: options.readsMetadata ? media.metadata(bytes, limits: options.limits) : ImageMetadata())
  }
}
#endif
