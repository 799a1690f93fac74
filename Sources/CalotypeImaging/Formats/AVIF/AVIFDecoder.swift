#if AVIF
public import FoundationEssentials

/// A decoder for AVIF (AV1-AVIF 1.1, ISO/IEC 23000-22): stills of 8, 10 and 12 bits, grids, alpha, layers, animations.
///
/// Boxes are read and checked by Swift, AV1 is decoded by dav1d, and planes become RGB by libavif. For thumbnails, planes
/// are shrunk before they become RGB. The orientation is that of `irot` and `imir`, not that of Exif; the clean aperture
/// and gain maps are not applied. Data that end early are ``ImagingError/truncated(_:byteCount:)``, also where partial
/// images are allowed: AV1 has no rows to show before its frame is complete.
public struct AVIFDecoder: ImageDecoding {
  private let describer = ISOMediaDescriber()

  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.avif] }

  /// Returns ``ImageFormat/avif`` if the bytes start with a file type box of one of its brands.
  public func format(of prefix: Data) -> ImageFormat? { ImageFormat.sniff(prefix) == .avif ? .avif : nil }

  /// The package to install if libavif or dav1d is missing; otherwise `nil`.
  public func refusal(of format: ImageFormat) -> ImagingError? { OptionalLibrary.avif.refusal }

  /// Reads the boxes; needs no library.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try describer.probe(data, limits: limits)
  }

  /// Reads the boxes; needs no library. `nil` until the items, the tracks of a sequence and the layout of a grid are
  /// there.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try describer.header(of: prefix, limits: limits)
  }

  /// Decodes the primary picture or the first frame.
  ///
  /// Without alpha, a size of half, a quarter or an eighth is delivered, by the mean of boxes of samples, as long as it is
  /// not below `minimumSize`.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` also if a library is missing, and the errors of
  ///   ``probe(_:limits:)``.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: nil)
  }

  /// Decodes, and resamples rows as they are converted to RGB.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: shrinker)
  }

  private func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinker: RowShrinker?
  ) throws(ImagingError) -> Image {
    try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      let watch = DecodeLimits.DeadlineChecker(options.limits)
      try watch.check()
      return try AVIFFile(bytes, limits: options.limits)
        .image(minimumSize: minimumSize, options: options, watch: watch, shrinkingBy: shrinker)
    }
  }

  /// Returns 8, 4, 2 or 1: the largest divisor that leaves the minimum size. Pictures with alpha are not divided.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    ScaleDivisor.largest(for: size, minimumSize: minimumSize)
  }

  /// Returns a decoder that shows the layers of a layered picture, and the frames of an animation, as they arrive.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    AVIFIncrementalDecoder(options: options)
  }

  /// Returns a decoder for all frames of a sequence; `nil` for a still.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and ``ImagingError/limitExceeded(_:value:limit:)`` for
  ///   the pixels of all frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    let (file, info) = try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      let file = try AVIFFile(bytes, limits: options.limits)
      return (file.media, file.info)
    }
    guard info.frameCount > 1 else { return nil }
    try OptionalLibrary.avif.require()
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    return try AVIFFrameDecoder(data, AVIFFrames(file, info: info, options: options))
  }
}
#endif
