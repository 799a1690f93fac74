public import FoundationEssentials

/// Decodes GIF (87a and 89a): the first frame, and what the blocks say about the others.
///
/// The canvas starts transparent and the background colour is ignored, as in browsers. A canvas smaller than its
/// first frame is enlarged to hold it. Frames without any palette are shown in greys.
public struct GIFDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats it reads.
  public var formats: [ImageFormat] { [.gif] }

  /// ``ImageFormat/gif`` if the bytes start with `GIF87a` or `GIF89a`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.bytes.holds("GIF87a") || prefix.bytes.holds("GIF89a") ? .gif : nil
  }

  /// What the blocks say. Of a file that ends early: what the part that is there says, if it has a frame.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try GIFStructure(data.bytes, limits: limits).info
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// A file that ends inside a block is an error even when the first frame is whole, unless `options` allow
  /// partial images; the image is then marked as partial. A missing trailer is no error.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let structure = try GIFStructure(data.bytes, limits: options.limits)
    if structure.isTruncated, !options.allowsPartial { throw .truncated(.gif, byteCount: data.count) }
    return try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let painter = GIFPainter(file: file, structure: structure, allowsPartial: options.allowsPartial)
      var isComplete = true
      let bitmap = try Bitmap(size: structure.canvas) { (canvas) throws(ImagingError) in
        let outcome = try painter.paint(structure.firstFrame, onto: canvas, isFresh: true)
        isComplete = outcome.isComplete
        return outcome.coversCanvas
      }
      return Image(
        bitmap: bitmap, info: structure.info, isPartial: !isComplete || structure.isTruncated)
    }
  }
}

extension GIFStructure {
  /// What the blocks say, in the terms of all formats.
  var info: ImageInfo {
    let isAnimated = frames.count > 1
    return ImageInfo(
      format: .gif, size: canvas, frameCount: frames.count, loopCount: isAnimated ? plays : 1,
      durations: isAnimated ? frames.map(\.duration) : [], hasAlpha: hasTransparency)
  }
}
