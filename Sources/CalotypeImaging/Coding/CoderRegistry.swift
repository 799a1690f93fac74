public import FoundationEssentials

/// The coders that a program uses: a value, so that two pipelines may differ. Last registered wins.
public struct CoderRegistry: Sendable {
  private var decoders: [any ImageDecoding] = []
  private var encoders: [any ImageEncoding] = []

  /// JPEG, PNG, WebP and GIF.
  public static let standard: CoderRegistry = {
    var registry = CoderRegistry()
    _ = registry
    return registry
  }()

  /// A registry without coders.
  public init() {}

  /// Adds a decoder that is asked before all earlier ones.
  public mutating func register(_ decoder: any ImageDecoding) { decoders.append(decoder) }

  /// Adds an encoder that is preferred over all earlier ones of its format.
  public mutating func register(_ encoder: any ImageEncoding) { encoders.append(encoder) }

  /// The formats that can be written.
  public var encodableFormats: [ImageFormat] { encoders.map(\.format) }

  /// What the header of an encoded image says.
  public func probe(_ data: Data, limits: DecodeLimits = .default) throws(ImagingError) -> ImageInfo {
    try decoder(for: data).probe(data, limits: limits)
  }

  /// Decodes the first frame: upright, shrunk if asked.
  public func decode(_ data: Data, options: DecodeOptions = DecodeOptions()) throws(ImagingError) -> Image {
    try decoder(for: data).decode(data, minimumSize: nil, options: options)
  }

  /// Encodes a picture.
  public func encode(_ image: Image, as options: EncodeOptions) throws(ImagingError) -> Data {
    guard let encoder = encoders.last(where: { $0.format == options.format }) else {
      throw .unsupportedFormat(options.format, reason: "there is no encoder for it")
    }
    return try encoder.encode(image, options: options)
  }

  private func decoder(for data: Data) throws(ImagingError) -> any ImageDecoding {
    guard !data.isEmpty else { throw .emptyInput }
    for decoder in decoders.reversed() where decoder.format(of: data) != nil { return decoder }
    throw .unrecognizedFormat(hint: nil)
  }
}
