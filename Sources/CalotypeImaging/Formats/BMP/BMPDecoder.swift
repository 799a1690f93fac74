public import FoundationEssentials

/// A decoder for Windows and OS/2 bitmaps: all headers from 12 to 124 bytes, 1 to 32 bits per pixel, masks, run lengths.
///
/// Pixels have alpha only if the header has a mask for it; pixels that run lengths leave out are transparent. Indices
/// beyond the palette are black. Colours are not converted: ``Image/profile`` is the embedded ICC profile. Bitmaps that
/// wrap a JPEG or PNG, fax-coded rows, CMYK and 64 bits per pixel are ``ImagingError/unsupportedFormat(_:reason:)``.
public struct BMPDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.bmp] }

  /// 30 bytes.
  public var signatureLength: Int { 30 }

  /// Returns ``ImageFormat/bmp`` if the bytes start with `BM` and a plausible header.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix) == .bmp ? .bmp : nil
  }

  /// Reads the headers.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/unsupportedFormat(_:reason:)``,
  ///   ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let file = try BMPFile(data.bytes, limits: limits)
    return data.bytes.withUnsafeBytes { file.header.info(file.profile(in: $0)) }
  }

  /// Reads the headers. An ICC profile is usually behind the pixels, and is then not described.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    do throws(ImagingError) {
      return ImageHeader(info: try probe(prefix, limits: limits), hasAllFrames: true)
    } catch {
      guard error.needsMoreBytes else { throw error }
      return nil
    }
  }

  /// Decodes at full size; `minimumSize` is ignored.
  ///
  /// In a partial image of a file that ends early, missing rows are transparent; usually those are the upper ones. Runs
  /// that leave the picture are damage: the pixels outside are dropped.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let file = try BMPFile(data.bytes, limits: options.limits)
    return try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      try file.decode(bytes, options: options, watch)
    }
  }

  /// Decodes and resamples rows as they are converted, unless the pixels are run lengths or some are missing.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let file = try BMPFile(data.bytes, limits: options.limits)
    return try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      if let image = try file.shrink(bytes, by: shrinker, watch) { return image }
      let info = file.header.info(file.profile(in: bytes))
      try options.checkWholeMemory(for: info, encodedByteCount: bytes.count)
      return try file.decode(bytes, options: options, watch)
    }
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? { 1 }

  /// Returns a decoder that shows rows as they arrive, usually from the bottom.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    BMPIncrementalDecoder(options: options)
  }
}
