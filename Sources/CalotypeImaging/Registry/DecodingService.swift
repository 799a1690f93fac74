package import FoundationEssentials

/// A place other than this process where images are decoded, with the coders of a ``CoderRegistry``.
///
/// Calls block; they are made on any thread, several at a time, and never on the cooperative pool. Cancellation of the
/// calling task ends them. Pictures are finished: shrunk, in sRGB and upright, as the options say; the transforms of the
/// options have been left out, but for the thumbnail that a resize at their beginning asks for.
package protocol DecodingService: Sendable {
  /// Returns the header of an image, with its limits checked.
  func info(
    of data: Data, page: Int, formatHint: ImageFormat?, limits: DecodeLimits
  ) throws(ImagingError) -> ImageInfo

  /// Returns the header of an image that begins with these bytes; `nil` if more are needed.
  func header(
    of prefix: Data, formatHint: ImageFormat?, limits: DecodeLimits
  ) throws(ImagingError) -> ImageHeader?

  /// Returns the first frame, or the page, once for each of the options. They differ in their thumbnails only.
  func images(of data: Data, variants: [DecodeOptions]) throws(ImagingError) -> [Image]

  /// Returns a decoder that takes bytes as they arrive.
  func makeIncrementalDecoder(
    options: DecodeOptions
  ) throws(ImagingError) -> any IncrementalImageDecoding

  /// Returns a decoder for all frames of an animation; `nil` for a still image.
  func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)?
}

/// A decoder whose work a ``DecodingService`` does. It recognises formats as the decoder that it stands for.
package struct DelegatedDecoder: ImageDecoding {
  /// The decoder that recognises the formats.
  package let base: any ImageDecoding
  /// The place where images are decoded.
  package let service: any DecodingService

  /// Creates a decoder that stands for another one.
  package init(_ base: any ImageDecoding, by service: any DecodingService) {
    self.base = base
    self.service = service
  }

  package var formats: [ImageFormat] { base.formats }
  package var signatureLength: Int { base.signatureLength }
  package func format(of prefix: Data) -> ImageFormat? { base.format(of: prefix) }

  package func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try probe(data, page: 0, limits: limits)
  }

  package func probe(_ data: Data, page: Int, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try service.info(of: data, page: page, formatHint: hint(for: data), limits: limits)
  }

  package func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try service.header(of: prefix, formatHint: hint(for: prefix), limits: limits)
  }

  package func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    base.scaleDivisor(for: size, minimumSize: minimumSize)
  }

  package func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    guard let image = try images(of: data, variants: [options]).first else {
      throw .invalidParameter(name: "variants", reason: "there are none")
    }
    return image
  }

  /// Returns the finished first frame for each of the options, without their transforms.
  func images(of data: Data, variants: [DecodeOptions]) throws(ImagingError) -> [Image] {
    try service.images(of: data, variants: variants.map { delegated($0, for: data) })
  }

  package func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    // Before the header has arrived, it is not known whether such transforms apply.
    guard options.animationTransforms != .none || options.transforms.thumbnail == nil else { return nil }
    return try? service.makeIncrementalDecoder(options: delegated(options, for: nil))
  }

  package func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    var options = options
    if options.animationTransforms == .none { options.transforms = [] }
    return try service.makeFrameDecoder(data, options: delegated(options, for: data))
  }

  /// Returns the options without transforms, except for the size that a resize at their beginning asks for.
  private func delegated(_ options: DecodeOptions, for data: Data?) -> DecodeOptions {
    var result = options
    result.thumbnail = options.thumbnail ?? options.transforms.thumbnail
    result.transforms = []
    if result.formatHint == nil, let data { result.formatHint = hint(for: data) }
    return result
  }

  /// The format, for inputs whose signature the base decoder recognises and others may not.
  private func hint(for data: Data) -> ImageFormat? {
    base.format(of: data.prefix(ImageFormat.sniffLength(of: data)))
  }
}

extension ImageDecoding {
  /// This decoder, if its pictures are finished elsewhere.
  var delegated: DelegatedDecoder? {
    // Cheaper than a cast, for the decoders that are not.
    guard type(of: self as any ImageDecoding) == DelegatedDecoder.self else { return nil }
    return self as? DelegatedDecoder
  }
}

extension CoderRegistry {
  /// Returns the registry with decoders replaced.
  package func replacingDecoders(
    _ replacement: (any ImageDecoding) -> any ImageDecoding
  ) -> CoderRegistry {
    var registry = self
    registry.mapDecoders(replacement)
    return registry
  }
}

extension ImageDecoding {
  /// Returns the orientation that the frames of this decoder still have.
  func orientation(of info: ImageInfo, options: DecodeOptions) -> Orientation {
    delegated != nil && options.appliesOrientation ? .topLeft : info.orientation
  }
}
