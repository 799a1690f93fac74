public import FoundationEssentials

/// The coders of a program, as a value, so that two pipelines may differ.
///
/// The decoder that was registered last is asked first. If it throws ``ImagingError/unsupportedFormat(_:reason:)``, for
/// a variant of the format that it does not support, the next one decodes the input. Among encoders of a format, the
/// one that was registered last is used.
///
/// ```swift
/// var coders = CoderRegistry.standard
/// coders.register(PNMDecoder())
/// let image = try coders.decode(data, options: DecodeOptions(thumbnail: .fit(width: 320, height: 240)))
/// ```
public struct CoderRegistry: Sendable {
  private var decoders: [any ImageDecoding] = []
  /// A Boolean value that indicates whether another place decodes some formats.
  private var hasDelegates = false
  private var encoders: [any ImageEncoding] = []

  /// JPEG, PNG, WebP, GIF, BMP, ICO and CUR, QOI, and the formats of the package's traits: AVIF by default, JPEG XL, TIFF.
  /// Those without their trait are described, not decoded, and so are HEIF and SVG, which are for sandboxed processes.
  public static let standard: CoderRegistry = {
    var registry = plain
    registry.register(JPEGDecoder())
    registry.register(PNGDecoder())
    registry.register(WebPDecoder())
    registry.register(GIFDecoder())
    return registry
  }()

  /// The encoders of ``standard``, its decoders that need no library or have no other, and before them the readers of
  /// headers of formats that have no decoder.
  package static let plain: CoderRegistry = {
    var registry = encoders
    registry.register(SVGDescriber())
    registry.register(TIFFDescriber())
    registry.register(JXLDescriber())
    registry.register(ISOMediaDescriber())
    #if TIFF
    registry.register(TIFFDecoder())
    #endif
    #if JXL
    registry.register(JXLDecoder())
    #endif
    #if AVIF
    registry.register(AVIFDecoder())
    #endif
    registry.register(BMPDecoder())
    registry.register(ICODecoder())
    registry.register(QOIDecoder())
    return registry
  }()

  /// The encoders of ``standard``, without decoders.
  package static let encoders: CoderRegistry = {
    var registry = CoderRegistry()
    registry.register(JPEGEncoder())
    registry.register(PNGEncoder())
    registry.register(APNGEncoder())
    registry.register(WebPEncoder())
    registry.register(GIFEncoder())
    registry.register(QOIEncoder())
    registry.register(BMPEncoder())
    registry.register(ICOEncoder())
    #if AVIF
    registry.register(AVIFEncoder())
    #endif
    #if JXL
    registry.register(JXLEncoder())
    #endif
    return registry
  }()

  /// Creates a registry without coders.
  public init() {}

  /// Adds a decoder that takes precedence over all earlier ones.
  public mutating func register(_ decoder: any ImageDecoding) {
    decoders.append(decoder)
    if decoder.delegated != nil { hasDelegates = true }
  }

  /// Adds an encoder that takes precedence over all earlier ones of its format.
  public mutating func register(_ encoder: any ImageEncoding) { encoders.append(encoder) }

  /// Replaces each decoder.
  mutating func mapDecoders(_ replacement: (any ImageDecoding) -> any ImageDecoding) {
    decoders = decoders.map(replacement)
    hasDelegates = decoders.contains { $0.delegated != nil }
  }

  /// Returns true if another place decodes this input: even its header is then read by a call that waits.
  package func delegates(_ data: Data) -> Bool {
    guard hasDelegates else { return false }
    let prefix = data.prefix(ImageFormat.sniffLength(of: data))
    return decoders.last { $0.format(of: prefix) != nil }?.delegated != nil
  }

  /// Returns true if there is a decoder of the same type.
  package func hasDecoder(like decoder: any ImageDecoding) -> Bool {
    let identity = ObjectIdentifier(type(of: decoder) as any Any.Type)
    return decoders.contains { ObjectIdentifier(type(of: $0) as any Any.Type) == identity }
  }

  /// Returns true if a format is described, and not decoded.
  package func describes(_ format: ImageFormat) -> Bool {
    decoders.contains { $0.formats.contains(format) && $0.refusal(of: format) != nil }
      && !decodableFormats.contains(format)
  }

  /// The decoders of types that ``standard`` lacks.
  package var decodersBeyondStandard: [any ImageDecoding] {
    decoders.filter { !Self.standard.hasDecoder(like: $0) }
  }

  /// Removes decoders: `coders.unregisterDecoders { $0 is JPEGDecoder }`.
  public mutating func unregisterDecoders(where isRemoved: (any ImageDecoding) -> Bool) {
    decoders.removeAll(where: isRemoved)
  }

  /// Removes encoders: `coders.unregisterEncoders { $0.format == .gif }`.
  public mutating func unregisterEncoders(where isRemoved: (any ImageEncoding) -> Bool) {
    encoders.removeAll(where: isRemoved)
  }

  /// The formats that can be decoded, each once, in order of registration.
  public var decodableFormats: [ImageFormat] {
    var seen: Set<ImageFormat> = []
    return decoders.flatMap { decoder in decoder.formats.filter { decoder.refusal(of: $0) == nil } }
      .filter { seen.insert($0).inserted }
  }

  /// The formats that can be encoded, each once, in order of registration.
  public var encodableFormats: [ImageFormat] {
    var seen: Set<ImageFormat> = []
    return encoders.map(\.format).filter { seen.insert($0).inserted }
  }

  /// Returns true if a format can be encoded on this machine: its library is there.
  package func canEncode(_ format: ImageFormat) -> Bool {
    encoders.contains { $0.format == format && $0.refusal == nil }
  }

  /// Returns the format of an input by its first bytes: the answer of a registered decoder, otherwise the format of the
  /// signature, even without a decoder. `nil` if nothing matches.
  public func format(of prefix: Data) -> ImageFormat? {
    for decoder in decoders.reversed() {
      if let format = decoder.format(of: prefix) { return format }
    }
    return ImageFormat.sniff(prefix)
  }
}

extension CoderRegistry {
  /// The result of examining the first bytes of an input.
  enum Choice {
    case decoder(any ImageDecoding)
    /// There are too few bytes for a decision.
    case open
  }

  /// The purpose of a decoder.
  enum Purpose {
    /// The header: decoders that only describe will do.
    case header
    /// Pixels.
    case pixels
  }

  /// Chooses the decoder of an input: that of the hint if there is one, otherwise the first that recognises the
  /// signature. The hint does not choose a decoder that only describes, so that a wrong hint changes nothing.
  ///
  /// - Parameters:
  ///   - bytes: The beginning of the input.
  ///   - isWhole: Pass true if no more bytes follow.
  ///   - hint: The format to assume.
  ///   - purpose: The purpose of the decoder.
  /// - Throws: ``ImagingError/emptyInput``, ``ImagingError/unrecognizedFormat(hint:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``.
  func choose(
    for bytes: Data, isWhole: Bool, hint: ImageFormat?, purpose: Purpose
  ) throws(ImagingError) -> Choice {
    guard !bytes.isEmpty else {
      if isWhole { throw .emptyInput }
      return .open
    }
    if let hint,
      let decoder = decoders.last(where: { $0.formats.contains(hint) && $0.refusal(of: hint) == nil })
    {
      return .decoder(decoder)
    }
    // Whole and incremental inputs are examined up to the same length, so that both get the same decoder.
    let length = ImageFormat.sniffLength(of: bytes)
    let prefix = bytes.prefix(length)
    for decoder in decoders.reversed() {
      if let format = decoder.format(of: prefix) {
        if purpose == .pixels, let refusal = decoder.refusal(of: format) { throw refusal }
        return .decoder(decoder)
      }
      if !isWhole, prefix.count < min(decoder.signatureLength, length) { return .open }
    }
    let isEnough = isWhole || bytes.count >= max(ImageFormat.hintLength, length)
    if let format = ImageFormat.sniff(prefix), isWhole || prefix.count >= ImageFormat.sniffLength {
      throw .unsupportedFormat(format, reason: nil)
    }
    guard isEnough else { return .open }
    throw .unrecognizedFormat(hint: ImageFormat.hint(forUnrecognized: bytes))
  }

  /// Returns the decoders to try after `decoder` has thrown ``ImagingError/unsupportedFormat(_:reason:)``: those
  /// registered before it that recognise the signature, or match the hint.
  func fallbacks(
    after decoder: any ImageDecoding, for bytes: Data, hint: ImageFormat?, purpose: Purpose
  ) -> [any ImageDecoding] {
    let prefix = bytes.prefix(ImageFormat.sniffLength(of: bytes))
    let all = decoders.reversed().filter { candidate in
      if let format = candidate.format(of: prefix) {
        return purpose == .header || candidate.refusal(of: format) == nil
      }
      return hint.map { candidate.formats.contains($0) && candidate.refusal(of: $0) == nil } ?? false
    }
    let identity = ObjectIdentifier(type(of: decoder) as any Any.Type)
    let position = all.firstIndex { ObjectIdentifier(type(of: $0) as any Any.Type) == identity }
    return Array(all.dropFirst(position.map { $0 + 1 } ?? all.count))
  }

  /// Calls `body` with the decoder of a whole input, and with the next one as long as it throws
  /// ``ImagingError/unsupportedFormat(_:reason:)``; rethrows the first of these errors if no decoder is left.
  func withDecoder<Result>(
    for data: Data, hint: ImageFormat?, purpose: Purpose = .pixels,
    _ body: (any ImageDecoding) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    let first = try decoder(for: data, hint: hint, purpose: purpose)
    let refusal: ImagingError
    do throws(ImagingError) {
      return try body(first)
    } catch {
      guard case .unsupportedFormat = error else { throw error }
      refusal = error
    }
    for decoder in fallbacks(after: first, for: data, hint: hint, purpose: purpose) {
      do throws(ImagingError) {
        return try body(decoder)
      } catch {
        guard case .unsupportedFormat = error else { throw error }
      }
    }
    throw refusal
  }

  /// Returns the decoder of a whole input.
  func decoder(
    for data: Data, hint: ImageFormat?, purpose: Purpose = .pixels
  ) throws(ImagingError) -> any ImageDecoding {
    guard case .decoder(let decoder) = try choose(for: data, isWhole: true, hint: hint, purpose: purpose)
    else {
      throw .unrecognizedFormat(hint: nil)
    }
    return decoder
  }

  /// Returns the encoder of a format.
  func encoder(for format: ImageFormat) throws(ImagingError) -> any ImageEncoding {
    guard let encoder = encoders.last(where: { $0.format == format }) else {
      throw .unsupportedFormat(format, reason: "there is no encoder for it")
    }
    return encoder
  }
}
