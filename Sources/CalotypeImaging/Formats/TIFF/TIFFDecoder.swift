#if TIFF
public import FoundationEssentials

/// A decoder for TIFF and BigTIFF: pages with 1 to 16 bits per sample, grey, RGB, palettes, CMYK, YCbCr and 8-bit Lab.
///
/// ``DecodeOptions/page`` chooses the page. Strips and tiles may be without compression, or have LZW, deflate, PackBits,
/// JPEG, fax (CCITT), Zstandard or WebP compression; libtiff decodes them, and is opened when it is first needed. Old
/// JPEG is decoded as JPEG. All other compressions, samples of 32 bits and floating-point samples are
/// ``ImagingError/unsupportedFormat(_:reason:)``.
///
/// In `rgba8`, the high byte of 16-bit samples counts; 9 to 15 bits are scaled. Associated alpha is undone. A thumbnail
/// is made of the smallest version of the page that suffices, if the file has smaller versions of it. Inks are converted
/// by their profile, or by the plain product.
public struct TIFFDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.tiff] }

  /// 8 bytes.
  public var signatureLength: Int { 8 }

  /// Returns ``ImageFormat/tiff`` if the bytes start with the header of a TIFF or BigTIFF.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix) == .tiff ? .tiff : nil
  }

  /// An error that names the package to install, if libtiff is missing.
  public func refusal(of format: ImageFormat) -> ImagingError? { OptionalLibrary.tiff.refusal }

  /// Reads the directories, and describes the first page.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try probe(data, page: 0, limits: limits)
  }

  /// Reads the directories, and describes a page.
  public func probe(_ data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try TIFFDescriber().probe(data, page: page, limits: limits)
  }

  /// Reads the directories, which many writers put behind the pixels.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try TIFFDescriber().header(of: prefix, limits: limits)
  }

  /// Decodes a page, or the smallest version of it that is at least `minimumSize`. Strips of JPEG are decoded at the
  /// smallest scale that suffices.
  ///
  /// Strips and tiles that cannot be decoded are transparent, if the options accept that.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: nil)
  }

  /// Decodes a page and resamples rows as they are decoded; damaged pictures are decoded as a whole.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: shrinker)
  }

  private func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinker: RowShrinker?
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let bytes = data.bytes
    guard let document = try TIFFDocument(bytes, page: options.page, limits: options.limits) else {
      throw .truncated(.tiff, byteCount: data.count)
    }
    let pictures = try document.pictures(bytes, minimumSize: minimumSize, limits: options.limits)
    let session = TIFFSession(
      document, bytes, minimumSize: minimumSize, options: options, shrinker: shrinker, watch)
    return try bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      for version in pictures.dropLast() {
        // A smaller version that is not sound is no reason to refuse the page.
        if let image = try session.version(version, bytes) { return image }
      }
      return try session.page(pictures[pictures.count - 1], bytes)
    }
  }
}
#endif
