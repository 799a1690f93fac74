public import FoundationEssentials

/// Decodes WebP (RFC 9649): lossy, lossless, with alpha, with metadata; of an animation the first frame.
///
/// Chroma is upsampled with libwebp's "fancy" filter and nothing is dithered. The canvas of an animation starts
/// transparent; its background colour is ignored, as in browsers.
public struct WebPDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats it reads.
  public var formats: [ImageFormat] { [.webp] }

  /// ``ImageFormat/webp`` if the bytes start with a RIFF header of form type `WEBP`.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.bytes.holds("RIFF") && prefix.bytes.holds("WEBP", at: 8) ? .webp : nil
  }

  /// What the chunks say. Of a file that ends early: what the part that is there says, if it has a picture's
  /// header.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      try WebPStructure(file, limits: limits).info(of: file)
    }
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// A file shorter than it announces is an error even when the first frame is whole, unless `options` allow
  /// partial images; the image is then marked as partial.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    try data.bytes.withUnsafeBytes { (file) throws(ImagingError) in
      let structure = try WebPStructure(file, limits: options.limits)
      if structure.isTruncated, !options.allowsPartial { throw .truncated(.webp, byteCount: file.count) }
      let info = structure.info(of: file)
      let frame = structure.firstFrame
      let painter = WebPPainter(file: file, allowsPartial: options.allowsPartial)
      var isComplete = true
      let bitmap = try Bitmap(size: structure.canvas) { (canvas) throws(ImagingError) in
        let fills = frame.size == structure.canvas
        if !fills || options.allowsPartial { canvas.initializeMemory(as: UInt8.self, repeating: 0) }
        isComplete = try painter.paint(frame, onto: canvas, width: structure.canvas.width)
        return fills && isComplete && !frame.hasAlpha
      }
      return Image(
        bitmap: bitmap, info: info, orientation: info.orientation,
        isPartial: !isComplete || structure.isTruncated)
    }
  }
}

extension WebPStructure {
  /// What the chunks say, in the terms of all formats.
  func info(of file: UnsafeRawBufferPointer) -> ImageInfo {
    let isAnimation = frames.count > 1
    var info = ImageInfo(
      format: .webp, size: canvas, frameCount: frames.count, loopCount: isAnimation ? plays : 1,
      durations: isAnimation ? frames.map(\.duration) : [], hasAlpha: hasAlpha)
    if let exif, let orientation = Exif.orientation(in: file.bytes.extracting(exif)) {
      info.orientation = orientation
    }
    if let colorProfile { info.colorProfile = ICCProfile.description(of: Data(file[colorProfile])) }
    return info
  }
}
