public import FoundationEssentials

/// A decoder for JPEG by libjpeg-turbo: baseline, extended and progressive, Huffman and arithmetic coding, 8 bits.
///
/// It reads grey, YCbCr, RGB, and CMYK or YCCK. Inks are converted by their profile if the options convert colours,
/// otherwise by the plain product of inks. Decoding uses the accurate integer transform and smooth chroma upsampling,
/// and the scales 1/2, 1/4 or 1/8 for smaller sizes. Twelve-bit, lossless and hierarchical files are refused as
/// unsupported.
public struct JPEGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.jpeg] }

  /// 3 bytes.
  public var signatureLength: Int { 3 }

  /// Returns JPEG if the first three bytes match.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix) == .jpeg ? .jpeg : nil
  }

  /// Walks over the segments before the first scan.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let header = try JPEGHeader(data)
    try limits.check(size: header.size, format: .jpeg)
    return ImageInfo(header)
  }

  /// Walks over the segments, up to the first scan.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    var header = JPEGHeader()
    try header.walk(prefix.bytes)
    guard header.isComplete else { return nil }
    try header.end(byteCount: prefix.count)
    try limits.check(size: header.size, format: .jpeg)
    return ImageHeader(info: ImageInfo(header), hasAllFrames: true)
  }

  /// Decodes the picture as stored, at the smallest of the scales 1, 1/2, 1/4, 1/8 that is not below
  /// `minimumSize`.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/limitExceeded(_:value:limit:)`` for pixels
  ///   and scans, ``ImagingError/cancelled``; ``ImagingError/truncated(_:byteCount:)``, unless the options allow
  ///   partial images, whose missing part is grey; ``ImagingError/corrupt(_:reason:offset:)`` for data that
  ///   libjpeg-turbo refuses, and under ``DamagePolicy/strict`` for data that only cause a warning.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, minimumSize: minimumSize, options: options, shrinker: nil)
  }

  /// Decodes the picture and resamples its rows as they are decoded.
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

  /// Returns the denominator of the scale at which libjpeg-turbo decodes: 1, 2, 4 or 8.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    ScaleDivisor.largest(for: size, minimumSize: minimumSize)
  }

  /// Returns a decoder that shows the rows of a picture with one scan, and the scans of one with several, as they
  /// arrive. Arithmetic-coded files are collected first.
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
