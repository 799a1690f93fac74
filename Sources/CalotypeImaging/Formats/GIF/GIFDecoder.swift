public import FoundationEssentials

/// A decoder for GIF (87a and 89a), still and animated.
///
/// The canvas starts transparent and the background colour is ignored, as in browsers. A canvas smaller than its first
/// frame is enlarged to hold it. Frames without a palette are shown in greys.
public struct GIFDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.gif] }

  /// 6 bytes.
  public var signatureLength: Int { 6 }

  /// Returns ``ImageFormat/gif`` if the bytes start with `GIF87a` or `GIF89a`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.bytes.holds("GIF87a") || prefix.bytes.holds("GIF89a") ? .gif : nil
  }

  /// Reads the blocks. For a file that ends early, the part that is present is described, if it has a frame.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try GIFStructure(data.bytes, limits: limits).info
  }

  /// Reads the blocks up to the header of the first frame; those of other frames are counted as far as they are there.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    var structure = GIFStructure(limits: limits)
    try structure.read(prefix.bytes)
    guard !structure.frames.isEmpty else { return nil }
    return ImageHeader(info: structure.info, hasAllFrames: structure.hasTrailer)
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// A file that ends inside a block is an error even if the first frame is complete, unless `options` allow partial
  /// images; the image is then marked as partial. A missing trailer is no error. Invalid or short LZW data are damage:
  /// the pixels before it are shown, and the others are transparent.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let structure = try GIFStructure(data.bytes, limits: options.limits)
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.gif, byteCount: data.count) }
    return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let frame = structure.firstFrame
      if let image = try decodeInPlace(
        frame, of: structure, file, options, watch)
      {
        return image
      }
      let reader = try GIFFrameReader(frame, pool: .shared)
      var flaws: DamageReport = structure.isTruncated ? .partial : []
      if frame.size.pixelCount > 0 {
        try reader.read(file, watch: watch)
        flaws.formUnion(try reader.finish(byteCount: file.count, options: options))
      }
      let painter = GIFPainter(frame, of: structure, file: file)
      let bitmap = try Bitmap(size: structure.canvas) { (canvas) throws(ImagingError) in
        painter.paint(reader.decoded, onto: canvas, ground: .fresh)
      }
      return structure.image(bitmap, flaws)
    }
  }

  /// Decodes a frame that fills the canvas, with its indices at the end of the memory of the pixels, which never
  /// overtake them. `nil` for other frames, and for one that lacks pixels where that is accepted.
  private func decodeInPlace(
    _ frame: GIFFrame, of structure: GIFStructure, _ file: UnsafeRawBufferPointer,
    _ options: DecodeOptions, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) -> Image? {
    guard frame.size == structure.canvas, frame.x == 0, frame.y == 0, !frame.isInterlaced,
      frame.size.pixelCount > 0
    else { return nil }
    let pool = PixelPool.shared
    let byteCount = frame.size.pixelCount * 4 + GIFFrameReader.byteCount(for: frame) - frame.size.pixelCount
    guard let memory = pool.take(byteCount: byteCount) else { throw .outOfMemory(byteCount: byteCount) }
    var isAdopted = false
    defer { if !isAdopted { pool.giveBack(memory) } }
    let pixels = UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    let reader = GIFFrameReader(frame, atEndOf: pixels)
    try reader.read(file, watch: watch)
    guard try reader.finish(byteCount: file.count, options: options).isEmpty else { return nil }
    let isOpaque = GIFPainter(frame, of: structure, file: file)
      .paint(
        reader.decoded, onto: UnsafeMutableRawBufferPointer(rebasing: pixels[..<(frame.size.pixelCount * 4)]),
        ground: .fresh)
    isAdopted = true
    let bitmap = Bitmap(
      adopting: memory, of: pool, size: frame.size, format: .rgba8, isOpaque: isOpaque)
    return structure.image(bitmap, structure.isTruncated ? .partial : [])
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    1
  }

  /// Returns a decoder that decodes the first frame row by row as bytes arrive, coarse first if it is interlaced.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    GIFIncrementalDecoder(options: options)
  }

  /// Returns a decoder for all frames of an animation.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and ``ImagingError/limitExceeded(_:value:limit:)`` for
  ///   the pixels of all frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    let structure = try GIFStructure(data.bytes, limits: options.limits)
    guard structure.frames.count > 1 else { return nil }
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.gif, byteCount: data.count) }
    let info = structure.info
    try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
    return CompositedFrameDecoder(data, info: info, profile: nil, limits: options.limits) { file in
      GIFFrames(structure: structure, file: file, options: options)
    }
  }
}
