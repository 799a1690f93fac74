public import CalotypeImaging
public import FoundationEssentials

extension ImageFormat {
  /// The Quite OK Image format (<https://qoiformat.org/qoi-specification.pdf>).
  public static let qoi = ImageFormat(rawValue: "qoi")
}

/// Decodes QOI: the example of a coder that a program brings along.
///
/// ```swift
/// let pipeline = ImagePipeline(urls: .untrusted) {
///   $0.coders.register(QOIDecoder())
///   $0.coders.register(QOIEncoder())
/// }
/// ```
public struct QOIDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// QOI.
  public var formats: [ImageFormat] { [.qoi] }

  /// Four bytes.
  public var signatureLength: Int { 4 }

  /// QOI if the bytes start with `qoif`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.starts(with: QOIHeader.signature) ? .qoi : nil
  }

  /// Reads the 14 bytes of the header.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let header = try QOIHeader(data)
    try limits.check(size: header.size, format: .qoi)
    return header.info
  }

  /// Decodes at full size; `minimumSize` is ignored.
  ///
  /// The end marker has to be there; what follows it is ignored. In partial images the rest is transparent.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    guard !data.isEmpty else { throw .emptyInput }
    let decoder = QOIIncrementalDecoder(options: options)
    try decoder.append(data)
    return try decoder.finish()
  }

  /// Decodes pixel by pixel as the bytes come.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    QOIIncrementalDecoder(options: options)
  }
}
