#if HEIF
public import FoundationEssentials

/// A decoder for the pictures of HEIF that are coded as HEVC, named HEIC (ISO/IEC 23008-12): stills of 8 to 12 bits,
/// grids, alpha, embedded thumbnails.
///
/// Boxes and the parameters of HEVC are read and checked by Swift; slices are decoded by libde265, one tile after the
/// other. A thumbnail is made of an embedded one if that suffices; otherwise tiles are shrunk before they become RGB. The
/// clean aperture is applied. The orientation is that of `irot` and `imir`, not that of Exif; gain maps are not applied.
/// Sequences of pictures are ``ImagingError/unsupportedFormat(_:reason:)``. Data that end early are
/// ``ImagingError/truncated(_:byteCount:)``, also where partial images are allowed.
///
/// It is not among the coders of ``CoderRegistry/standard``: libde265 is not made for hostile bytes, and an assertion of
/// it ends the process. Register it for pictures that can be trusted. Patents cover HEVC; whether a decoder needs a licence
/// depends on the country and the use.
public struct HEIFDecoder: ImageDecoding {
  private let describer = ISOMediaDescriber()

  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.heif] }

  /// Returns ``ImageFormat/heif`` if the bytes start with a file type box of one of its brands.
  public func format(of prefix: Data) -> ImageFormat? { ImageFormat.sniff(prefix) == .heif ? .heif : nil }

  /// The package to install if libde265 is missing; otherwise `nil`.
  public func refusal(of format: ImageFormat) -> ImagingError? { OptionalLibrary.heif.refusal }

  /// Reads the boxes; needs no library.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try describer.probe(data, limits: limits)
  }

  /// Reads the boxes; needs no library. `nil` until the items and the layout of a grid are there.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try describer.header(of: prefix, limits: limits)
  }

  /// Decodes the primary picture, or an embedded thumbnail of its shape, orientation and depth that is at least
  /// `minimumSize`.
  ///
  /// Without alpha and an embedded thumbnail, a size of half, a quarter or an eighth is delivered, by the mean of boxes of
  /// samples, as long as it is not below `minimumSize`, nor below twice the size of a thumbnail with
  /// ``Thumbnail/Effort/fine`` effort.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` also if libde265 is missing, and the errors of
  ///   ``probe(_:limits:)``.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: nil)
  }

  /// Decodes, and resamples rows of tiles as they are decoded.
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
      return try HEIFFile(bytes, limits: options.limits)
        .image(minimumSize: minimumSize, options: options, watch: watch, shrinkingBy: shrinker)
    }
  }
}
#endif
