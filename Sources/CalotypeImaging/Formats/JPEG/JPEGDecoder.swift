public import FoundationEssentials

/// Decodes JPEG with libjpeg-turbo: baseline, extended and progressive, Huffman and arithmetic, 8 bits, grey,
/// YCbCr, RGB, and CMYK or YCCK: as inks with their profile where the colours are to be converted, otherwise by
/// the plain product of inks.
///
/// Uses the accurate integer transform and smooth chroma upsampling. Asked for less than the full size, it
/// decodes at 1/2, 1/4 or 1/8. Twelve-bit, lossless and hierarchical files are refused as unsupported.
public struct JPEGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats it reads.
  public var formats: [ImageFormat] { [.jpeg] }

  /// 3 bytes.
  public var signatureLength: Int { 3 }

  /// JPEG by its first three bytes.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix) == .jpeg ? .jpeg : nil
  }

  /// Walks over the segments before the first scan.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let header = try JPEGHeader(data)
    try limits.check(size: header.size, format: .jpeg)
    return ImageInfo(header)
  }

  /// Decodes the picture as stored, at the smallest of the scales 1, 1/2, 1/4, 1/8 that is not below
  /// `minimumSize`.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/limitExceeded(_:value:limit:)``
  ///   for pixels and scans, ``ImagingError/cancelled``; ``ImagingError/truncated(_:byteCount:)``, unless the
  ///   options allow partial images: then what is lost is grey; ``ImagingError/corrupt(_:reason:offset:)`` for data
  ///   that libjpeg-turbo refuses, and under ``DamagePolicy/strict`` for data that it only warns of.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: nil)
  }

  /// The same, shrunk on its way.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: shrinker)
  }

  private func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinker: RowShrinker?
  ) throws(ImagingError) -> Image {
    let header = try JPEGHeader(data, keepsMetadata: options.readsMetadata)
    try JPEGSession.check(header, options)
    guard let scanOffset = header.scanOffset else { throw .truncated(.jpeg, byteCount: data.count) }
    var windows = JPEGWindows(header, scanOffset: scanOffset, allowsPartial: options.keepsPartial)
    guard data.count >= windows.minimumByteCount else { throw .truncated(.jpeg, byteCount: data.count) }
    let session = try JPEGSession(header, minimumSize: minimumSize, options: options, shrinker: shrinker)
    let bytes = data.bytes
    try bytes.withUnsafeBytes { (input: UnsafeRawBufferPointer) throws(ImagingError) in
      var start = 0
      while !session.isComplete {
        let isFinal = windows.end > input.count
        let end = min(windows.end, input.count)
        let window = UnsafeRawBufferPointer(rebasing: input[start..<end])
        start += try session.read(window, end: end, isFinal: isFinal)
        if isFinal { break }
        windows.advance()
      }
    }
    return try session.finish()
  }

  /// The denominator of the scale at which libjpeg-turbo decodes: 1, 2, 4 or 8.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    JPEGScale.denominator(for: size, minimumSize: minimumSize)
  }

  /// Rows of a picture with one scan, and scans of one with several, as they arrive. Arithmetic-coded files are
  /// collected first.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    JPEGIncrementalDecoder(options: options)
  }
}

extension ImageInfo {
  package init(_ header: JPEGHeader) {
    self.init(
      format: .jpeg, size: header.size, bitDepth: header.precision,
      orientation: header.orientation ?? .topLeft,
      colorProfile: header.profile.flatMap { ICCProfile.description(of: $0) })
    layout = Layout(header)
  }
}
