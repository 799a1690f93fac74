public import FoundationEssentials

/// A decoder for QOI, the Quite OK Image format (<https://qoiformat.org/qoi-specification.pdf>).
///
/// The end marker has to be there; bytes behind it are ignored, and a broken one is damage. In partial images the rest
/// is transparent.
public struct QOIDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.qoi] }

  /// 4 bytes.
  public var signatureLength: Int { 4 }

  /// Returns ``ImageFormat/qoi`` if the bytes start with `qoif`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.bytes.holds(QOIHeader.signature) ? .qoi : nil
  }

  /// Reads the 14 bytes of the header.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try QOIHeader(data.bytes, limits: limits).info
  }

  /// Reads the 14 bytes of the header.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    guard prefix.count >= QOIHeader.byteCount else { return nil }
    return ImageHeader(info: try probe(prefix, limits: limits), hasAllFrames: true)
  }

  /// Decodes at full size; `minimumSize` is ignored.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let header = try QOIHeader(data.bytes, limits: options.limits)
    return try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      // A byte stands for 62 pixels at most: no memory for a picture that cannot be there.
      guard options.keepsPartial || header.size.pixelCount / 62 <= bytes.count else {
        throw .truncated(.qoi, byteCount: bytes.count)
      }
      let painter = try QOIPainter(header)
      try painter.paint(bytes, watch: watch)
      let (bitmap, flaws) = try painter.finish(bytes, options: options)
      return header.image(bitmap, flaws)
    }
  }

  /// Decodes and resamples rows as they are decoded; damaged files are decoded as a whole.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let header = try QOIHeader(data.bytes, limits: options.limits)
    let shrunk = try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) -> Bitmap? in
      // Missing pixels would be transparent, and the sink has to know that in advance.
      options.keepsPartial ? nil : try Self.shrink(header, bytes, by: shrinker, watch)
    }
    if let shrunk { return header.image(shrunk, []) }
    try options.checkWholeMemory(for: header.info, encodedByteCount: data.count)
    return try decode(data, minimumSize: minimumSize, options: options)
  }

  private static func shrink(
    _ header: QOIHeader, _ bytes: UnsafeRawBufferPointer, by shrinker: RowShrinker,
    _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Bitmap? {
    guard
      let rows = try shrinker.rows(
        of: header.size, format: .rgba8, isOpaque: !header.hasAlpha, profile: header.profile)
    else { return nil }
    let reader = QOIReader(header)
    let batch = max(1, (256 << 10) / (4 * header.size.width))
    while !rows.isComplete {
      try watch.check()
      let room = rows.room
      let count = min(batch, room.count)
      guard let start = room.start, count > 0 else { return nil }
      let wanted = count * header.size.width
      let made = start.withMemoryRebound(to: UInt32.self, capacity: wanted) {
        reader.read(bytes, to: $0, count: wanted)
      }
      guard made == wanted else { return nil }
      rows.advance(by: count)
    }
    return reader.failure(of: bytes) == nil ? shrinker.take(rows) : nil
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? { 1 }

  /// Returns a decoder that shows pixels as their bytes arrive.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    QOIIncrementalDecoder(options: options)
  }
}
