public import FoundationEssentials

/// A decoder for one or more formats, to be registered in a ``CoderRegistry``.
///
/// Decoders are called on any thread, several at a time, and never on the cooperative pool. Between rows they call
/// ``DecodeLimits/DeadlineChecker/check()``, so that a cancelled task or a passed deadline stops them. All input is
/// hostile: sizes are checked against ``DecodeLimits`` before memory is allocated.
///
/// Only ``formats``, ``format(of:)`` and ``decode(_:minimumSize:options:)`` have no default. The defaults supply an
/// incremental decoder that collects the whole input first, animations of one frame, and separate decodes for each
/// size.
public protocol ImageDecoding: Sendable {
  /// The formats that this decoder reads.
  var formats: [ImageFormat] { get }

  /// Returns the format of the bytes if this decoder handles it.
  ///
  /// The argument is the beginning of an input, at most ``ImageFormat/sniffLength`` bytes, or
  /// ``ImageFormat/textSniffLength`` of a text that may be a drawing. The answer for a prefix has to hold for every longer
  /// one.
  func format(of prefix: Data) -> ImageFormat?

  /// The number of bytes after which an answer of `nil` is final: the length of the signature.
  /// ``ImageFormat/sniffLength`` by default.
  var signatureLength: Int { get }

  /// The error of every decode, if the decoder only describes inputs of a format: ``probe(_:limits:)`` and
  /// ``header(of:limits:)`` read its header, and there is no decoder for its pixels. `nil`, the default, for all others.
  ///
  /// A ``CoderRegistry`` refuses such an input with this error as soon as its format is known, and does not count the
  /// format among its ``CoderRegistry/decodableFormats``.
  func refusal(of format: ImageFormat) -> ImagingError?

  /// Returns the information in the header. Costs no more than a walk over the structure of the file.
  ///
  /// By default the image is decoded to obtain it, under the same limits. Implement it for all but the smallest
  /// formats, because limits have to be checked before memory is allocated.
  ///
  /// - Throws: ``ImagingError/emptyInput``, ``ImagingError/unrecognizedFormat(hint:)`` for bytes of another format,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)`` for a header that ends early,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo

  /// Returns the information about one page of a document; pages are counted from 0. ``ImageInfo/pageCount`` is that of the
  /// whole file.
  ///
  /// By default there is one page, which ``probe(_:limits:)`` describes.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` if there is no such page; the errors of
  ///   ``probe(_:limits:)``.
  func probe(_ data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo

  /// Returns the information in the header as soon as `prefix`, the first bytes of an input, reaches behind it; `nil` if
  /// more bytes are needed, and by default. No pixel is decoded.
  ///
  /// - Throws: Errors that more bytes cannot mend.
  func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader?

  /// Decodes the first frame, or the page of ``DecodeOptions/page``, as stored: without orientation, composited on its
  /// canvas, colours unconverted (``Image/profile`` describes them).
  ///
  /// A decoder that can shrink cheaply may deliver any size that is at least `minimumSize` in both directions
  /// (in stored axes); `nil` asks for the full size. A decoder of drawings (``ImageInfo/isVector``) draws at
  /// ``DecodeOptions/sourceSize(of:)`` instead.
  ///
  /// - Throws: The errors of ``probe(_:limits:)``, before memory is taken; ``ImagingError/corrupt(_:reason:offset:)`` and
  ///   ``ImagingError/truncated(_:byteCount:)`` unless ``DecodeOptions/accepts(_:)`` allows a partial picture;
  ///   ``ImagingError/unsupportedFormat(_:reason:)`` for a variant that is not decoded; ``ImagingError/outOfMemory(byteCount:)``;
  ///   ``ImagingError/cancelled``.
  func decode(_ data: Data, minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> Image

  /// Returns the factor by which ``decode(_:minimumSize:options:)`` divides the sides of a picture of this size; `nil`,
  /// the default, if it is not known.
  ///
  /// Equal factors promise equal pixels, regardless of ``DecodeOptions/thumbnail``: sizes with the same factor then
  /// share one decode. A decoder that always delivers the full size returns 1.
  func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int?

  /// Decodes as ``decode(_:minimumSize:options:)`` does and resamples rows as they are decoded, so that the whole
  /// picture is never in memory.
  ///
  /// A decoder that produces rows from top to bottom asks `shrinker` for
  /// ``RowShrinker/rows(of:format:isOpaque:profile:)``, writes its rows there and returns the bitmap of
  /// ``RowShrinker/take(_:)``. If `shrinker` has no use for rows, and by default, the picture is decoded as a whole.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``.
  func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image

  /// Returns a decoder that takes bytes as they arrive; `nil` if this format has none.
  func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)?

  /// Returns a decoder for all frames of an animation; `nil` if this format has none, or the input is a still image.
  ///
  /// - Throws: The errors of ``probe(_:limits:)``.
  func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)?
}

extension ImageDecoding {
  /// Decodes the image and describes it.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let image = try decode(data, minimumSize: nil, options: DecodeOptions(limits: limits))
    if let info = image.info { return info }
    let format = format(of: data.prefix(ImageFormat.sniffLength(of: data))) ?? formats.first
    return ImageInfo(
      format: format ?? ImageFormat(rawValue: "unknown"), size: image.size, hasAlpha: !image.bitmap.isOpaque,
      bitDepth: image.bitmap.format == .rgba16 ? 16 : 8, orientation: image.orientation)
  }

  /// Describes the only page.
  public func probe(_ data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    guard page == 0 else {
      throw .invalidParameter(name: "page", reason: "there is no page \(page); the only one is 0")
    }
    return try probe(data, limits: limits)
  }

  /// Returns `nil`: pixels are decoded.
  public func refusal(of format: ImageFormat) -> ImagingError? { nil }

  /// ``ImageFormat/sniffLength``.
  public var signatureLength: Int { ImageFormat.sniffLength }

  /// Returns `nil`: nothing is known about shared pixels.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? { nil }

  /// Decodes the picture as a whole; `shrinker` is not used.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options)
  }

  /// Returns `nil`: the registry collects the bytes and decodes them at the end.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? { nil }

  /// Returns `nil`: every input is a still image.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? { nil }
}
