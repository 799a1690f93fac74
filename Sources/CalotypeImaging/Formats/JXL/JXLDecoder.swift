#if JXL
public import FoundationEssentials

/// A decoder for JPEG XL (ISO/IEC 18181): stills and animations, bare and in boxes, by libjxl.
///
/// The orientation is that of the codestream; Exif does not count. Layers are blended, spot colours are drawn, alpha is
/// straight. Colours are those of the file if its pixels are stored in them, or if they are described by numbers and
/// not by a profile; otherwise the library converts them to sRGB. There is no incremental decoder: libjxl 0.7 refuses
/// some sound files that arrive in pieces.
///
/// Before pixels are decoded, the headers of all frames are read, also of hidden ones, so that sizes are within the
/// limits. A file whose frames cannot be found so is refused: one with sections out of order in a frame that is not the
/// last.
public struct JXLDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.jxl] }

  /// 12 bytes.
  public var signatureLength: Int { JXLDescriber().signatureLength }

  /// Returns ``ImageFormat/jxl`` if the bytes start with the signature of a codestream or of a file.
  public func format(of prefix: Data) -> ImageFormat? {
    ImageFormat.sniff(prefix) == .jxl ? .jxl : nil
  }

  /// Returns an error that names the package to install if the library is missing.
  public func refusal(of format: ImageFormat) -> ImagingError? { OptionalLibrary.jxl.refusal }

  /// Reads the header. For an animation the headers of all frames are read as well, without their pixels, by libjxl;
  /// a file that ends early is described as far as it is there.
  ///
  /// ``ImageInfo/colorProfile`` is `nil`, because profiles are compressed.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let info = try JXLDescriber().probe(data, limits: limits)
    guard try JXLDescriber().header(of: data, limits: limits)?.hasAllFrames != true else { return info }
    let file = try JXLFile(data, limits: limits)
    let watch = DecodeLimits.DeadlineChecker(limits)
    return try file.withCodestream(of: data) { (bytes) throws(ImagingError) in
      let survey = try JXLReader(bytes, header: file.header, limits: limits, watch: watch).survey
      return file.header.info(of: survey)
    }
  }

  /// Reads the header; the frames of an animation are not counted.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try JXLDescriber().header(of: prefix, limits: limits)
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// An animation that ends early is an error even if the first frame is complete, unless `options` allow partial
  /// images; the image is then marked as partial.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, options: options, watch: DecodeLimits.DeadlineChecker(options.limits))
  }

  private func decode(
    _ data: Data, options: DecodeOptions, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image {
    try watch.check()
    let file = try JXLFile(data, limits: options.limits)
    return try file.withCodestream(of: data) { (bytes) throws(ImagingError) in
      let reader = try JXLReader(bytes, header: file.header, limits: options.limits, watch: watch)
      try reader.check(options, encodedByteCount: data.count)
      let (bitmap, isPartial) = try reader.frame(options)
      return try reader.image(bitmap, isPartial: isPartial, of: data, options: options)
    }
  }

  /// Decodes the image and resamples its rows as they are decoded, if that is possible.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let file = try JXLFile(data, limits: options.limits)
    let image = try file.withCodestream(of: data) { (bytes) throws(ImagingError) -> Image? in
      let reader = try JXLReader(bytes, header: file.header, limits: options.limits, watch: watch)
      try reader.check(options, encodedByteCount: data.count)
      guard let bitmap = try JXLShrinker.bitmap(of: reader, options: options, shrinker: shrinker) else {
        return nil
      }
      return try reader.image(bitmap, isPartial: false, of: data, options: options)
    }
    if let image { return image }
    try options.checkWholeMemory(
      for: try probe(data, limits: options.limits), encodedByteCount: data.count)
    return try decode(data, options: options, watch: watch)
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? { 1 }

  /// Returns a decoder for all frames of an animation. A frame that depends on no other is reached without decoding
  /// those before it.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and ``ImagingError/limitExceeded(_:value:limit:)`` for
  ///   the pixels of all frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    let file = try JXLFile(data, limits: options.limits)
    guard file.header.plays != nil else { return nil }
    return try JXLFrames(file, data, options: options)
  }
}
#endif
