public import FoundationEssentials

/// A decoder for WebP (RFC 9649): lossy, lossless, with alpha, with metadata; stills and animations.
///
/// Chroma is upsampled with libwebp's "fancy" filter, without dithering. The canvas of an animation starts transparent;
/// its background colour is ignored, as in browsers.
public struct WebPDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.webp] }

  /// 12 bytes.
  public var signatureLength: Int { 12 }

  /// Returns ``ImageFormat/webp`` if the bytes start with a RIFF header of form type `WEBP`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.bytes.holds("RIFF") && prefix.bytes.holds("WEBP", at: 8) ? .webp : nil
  }

  /// Reads the chunks. For a file that ends early, the part that is present is described, if it has the header of a
  /// picture.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      try WebPStructure(file, limits: limits).info(of: file)
    }
  }

  /// Reads the chunks up to the header of the picture; frames are counted as far as they are there.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    try prefix.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      var structure = WebPStructure(limits: limits)
      try structure.read(file)
      return structure.header(of: file)
    }
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// A file that is shorter than its header claims is an error even if the first frame is complete, unless `options`
  /// allow partial images; the image is then marked as partial.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try decode(data, options: options, watch: DecodeLimits.DeadlineChecker(options.limits))
  }

  private func decode(
    _ data: Data, options: DecodeOptions, watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image {
    try watch.check()
    return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let structure = try WebPStructure(file, limits: options.limits)
      if structure.isTruncated, !options.keepsPartial { throw .truncated(.webp, byteCount: file.count) }
      let frame = structure.firstFrame
      var isComplete = true
      let bitmap = try Bitmap(size: structure.canvas) { (canvas) throws(ImagingError) in
        let fills = frame.size == structure.canvas
        if !fills { canvas.initializeMemory(as: UInt8.self, repeating: 0) }
        let target = try WebPFrameReader.Target(frame, onto: canvas, width: structure.canvas.width)
        let reader = try WebPFrameReader(frame, into: target, pace: .whole)
        isComplete = try reader.finish(file, allowsPartial: options.keepsPartial, watch: watch)
        if !isComplete {
          // Clears from the first missing row on: a stopped decoder leaves undefined pixels there.
          let start = min(canvas.count, 4 * (frame.y + reader.rows) * structure.canvas.width)
          UnsafeMutableRawBufferPointer(rebasing: canvas[start...])
            .initializeMemory(as: UInt8.self, repeating: 0)
        }
        return fills && isComplete && !frame.hasAlpha
      }
      return structure.image(
        bitmap, of: file, isPartial: !isComplete || structure.isTruncated, options: options)
    }
  }

  /// Decodes the image and resamples its rows as they are decoded, if that is possible.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    let image = try data.bytes.withUnsafeBytes { (file) throws(ImagingError) -> Image? in
      try WebPShrinker.image(of: file, options: options, shrinker: shrinker, watch: watch)
    }
    if let image { return image }
    try options.checkWholeMemory(
      for: try probe(data, limits: options.limits), encodedByteCount: data.count)
    return try decode(data, options: options, watch: watch)
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    1
  }

  /// Returns a decoder that decodes a still, or the first frame of an animation, row by row as bytes arrive.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    WebPIncrementalDecoder(options: options)
  }

  /// Returns a decoder for all frames of an animation.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and ``ImagingError/limitExceeded(_:value:limit:)`` for
  ///   the pixels of all frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    let (structure, info, profile) = try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let structure = try WebPStructure(file, limits: options.limits)
      return (structure, structure.info(of: file), structure.profile(of: file))
    }
    guard structure.frames.count > 1 else { return nil }
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.webp, byteCount: data.count) }
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    return CompositedFrameDecoder(data, info: info, profile: profile, limits: options.limits) { file in
      WebPFrames(structure: structure, file: file, allowsPartial: options.keepsPartial)
    }
  }
}
