public import FoundationEssentials

/// The coders that a program uses: a value, so that two pipelines may differ. Last registered wins.
public struct CoderRegistry: Sendable {
  private var decoders: [any ImageDecoding] = []
  private var encoders: [any ImageEncoding] = []

  /// JPEG, PNG, WebP and GIF.
  public static let standard: CoderRegistry = {
    var registry = CoderRegistry()
    registry.register(JPEGDecoder())
    registry.register(PNGDecoder())
    registry.register(WebPDecoder())
    registry.register(GIFDecoder())
    registry.register(JPEGEncoder())
    registry.register(PNGEncoder())
    registry.register(WebPEncoder())
    return registry
  }()

  /// A registry without coders.
  public init() {}

  /// Adds a decoder that is asked before all earlier ones.
  public mutating func register(_ decoder: any ImageDecoding) { decoders.append(decoder) }

  /// Adds an encoder that is preferred over all earlier ones of its format.
  public mutating func register(_ encoder: any ImageEncoding) { encoders.append(encoder) }

  /// The formats that can be written, each once, in order of registration.
  public var encodableFormats: [ImageFormat] {
    var seen: Set<ImageFormat> = []
    return encoders.map(\.format).filter { seen.insert($0).inserted }
  }

  /// The format of an input by its first bytes: what a registered decoder says, otherwise what the signature
  /// says, whether or not there is a decoder. `nil` when nothing matches.
  public func format(of prefix: Data) -> ImageFormat? {
    for decoder in decoders.reversed() {
      if let format = decoder.format(of: prefix) { return format }
    }
    return ImageFormat.sniff(prefix)
  }

  /// What the header of an encoded image says. Takes no memory for pixels.
  ///
  /// - Throws: ``ImagingError/emptyInput``, ``ImagingError/unrecognizedFormat(hint:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/limitExceeded(_:value:limit:)``, and what
  ///   the decoder finds wrong with the header.
  public func probe(_ data: Data, limits: DecodeLimits = .default) throws(ImagingError) -> ImageInfo {
    try limits.check(byteCount: data.count)
    let info = try decoder(for: data).probe(data, limits: limits)
    try limits.check(info)
    return info
  }

  /// Decodes the first frame: upright, shrunk if asked.
  ///
  /// A thumbnail is decoded at a smaller scale where the format can, then resampled, then turned, so that
  /// each step works on no more pixels than it needs.
  ///
  /// - Throws: as ``probe(_:limits:)``; ``ImagingError/corrupt(_:reason:offset:)`` and
  ///   ``ImagingError/truncated(_:byteCount:)`` unless the options allow partial images;
  ///   ``ImagingError/cancelled``.
  public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image {
    try options.limits.check(byteCount: data.count)
    let decoder = try decoder(for: data)
    guard let thumbnail = options.thumbnail else {
      let image = try decoder.decode(data, minimumSize: nil, options: options)
      return options.appliesOrientation ? try image.upright() : image
    }
    let info = try decoder.probe(data, limits: options.limits)
    try options.limits.check(info)
    let minimumSize = try thumbnail.minimumDecodeSize(sourceSize: info.size, orientation: info.orientation)
    let image = try decoder.decode(data, minimumSize: minimumSize, options: options)
    let shrunk = Image(
      bitmap: try image.bitmap.shrunk(to: thumbnail, sourceSize: info.size, orientation: info.orientation),
      info: image.info ?? info, orientation: image.orientation, isPartial: image.isPartial)
    return options.appliesOrientation ? try shrunk.upright() : shrunk
  }

  /// Encodes a picture. One that still has to be turned is turned first, because no metadata is written.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` without an encoder for the format, and what the
  ///   encoder throws.
  public func encode(_ image: Image, as options: EncodeOptions) throws(ImagingError) -> Data {
    guard let encoder = encoders.last(where: { $0.format == options.format }) else {
      throw .unsupportedFormat(options.format, reason: "there is no encoder for it")
    }
    return try encoder.encode(try image.upright(), options: options)
  }

  private func decoder(for data: Data) throws(ImagingError) -> any ImageDecoding {
    guard !data.isEmpty else { throw .emptyInput }
    for decoder in decoders.reversed() where decoder.format(of: data) != nil { return decoder }
    if let format = ImageFormat.sniff(data) { throw .unsupportedFormat(format, reason: nil) }
    throw .unrecognizedFormat(hint: ImageFormat.hint(forUnrecognized: data))
  }
}

extension DecodeLimits {
  fileprivate func check(byteCount: Int) throws(ImagingError) {
    guard byteCount <= maxBytes else { throw .limitExceeded(.bytes, value: byteCount, limit: maxBytes) }
  }

  /// The limits of every coder, so that one registered by a program cannot forget them.
  fileprivate func check(_ info: ImageInfo) throws(ImagingError) {
    try check(size: info.size, format: info.format)
    try check(frameCount: info.frameCount)
  }
}

extension Image {
  /// The same picture with its orientation applied to the pixels.
  fileprivate func upright() throws(ImagingError) -> Image {
    guard orientation != .topLeft else { return self }
    return Image(bitmap: try bitmap.oriented(orientation), info: info, isPartial: isPartial)
  }
}
