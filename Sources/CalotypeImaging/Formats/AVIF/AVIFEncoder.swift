#if AVIF
public import FoundationEssentials

/// An encoder for AVIF, still and animated, by libaom: lossy, or lossless with every pixel kept.
///
/// The effort is libaom's speed 9, 8 or 6. `quality` is that of ``WebPEncoder``: equal numbers give pictures of about equal
/// quality by SSIMULACRA2. Colours are BT.601 YCbCr of the full range with the chroma of ``EncodeOptions/subsampling``;
/// lossless files are RGB. Grey bitmaps have no chroma.
///
/// The option `depth` of ``EncodeOptions/extras``, `8`, `10` or `12`, sets the bits of each sample: 10 by default for
/// ``PixelFormat/rgba16``, 8 for all others.
public struct AVIFEncoder: ImageEncoding {
  /// The largest width and height.
  public static let maxSide = 32_768

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/avif``.
  public var format: ImageFormat { .avif }

  /// The package to install if libavif is missing; otherwise `nil`.
  public var refusal: ImagingError? { OptionalLibrary.avif.refusal }

  /// Returns true for ICC profiles, sRGB and code points.
  public func holds(_ profile: ColorProfile) -> Bool {
    if case .calibrated = profile { false } else { true }
  }

  /// Returns the encoded image. A picture is encoded in one go: cancellation shows before and after.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100, another depth, or a picture
  ///   larger than ``maxSide``; ``ImagingError/encodingFailed(_:reason:)``, also for a lossless file of 16 bits, which AV1
  ///   does not have; ``ImagingError/unsupportedFormat(_:reason:)`` if libavif is missing;
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let writer = try AVIFWriter(
      of: image.bitmap, hasAlpha: !image.bitmap.isOpaque,
      profile: options.keeps.contains(.icc) ? image.profile : nil,
      metadata: image.metadata.kept(options.keeps), isAnimation: false, options: options)
    try writer.add(image.bitmap, duration: .zero)
    return try writer.finish()
  }

  /// Returns an animation of all frames, with durations in milliseconds.
  ///
  /// - Throws: The errors of ``encode(_:options:)-(Image,_)``, also for frames of different sizes or none, and the errors
  ///   of `animation`.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    guard animation.frameCount > 0, animation.loopCount >= 0 else {
      throw .invalidParameter(name: "animation", reason: "it has no frames, or plays less than never")
    }
    let first = try animation.frame(0)
    // A later frame may be the first with transparency: then all of it has an alpha track.
    var file: Data?
    if first.bitmap.isOpaque { file = try self.file(of: animation, first, hasAlpha: false, options) }
    if file == nil { file = try self.file(of: animation, first, hasAlpha: true, options) }
    guard let file else { throw .encodingFailed(.avif, reason: "a frame is transparent") }
    return animation.loopCount == 0 ? file : try AVIFRepetition(file).data(plays: animation.loopCount)
  }

  /// Returns a file of all frames; `nil` for one without alpha of frames with transparency.
  private func file(
    of animation: AnimationSource, _ first: AnimationSource.Frame, hasAlpha: Bool, _ options: EncodeOptions
  ) throws(ImagingError) -> Data? {
    let writer = try AVIFWriter(
      of: first.bitmap, hasAlpha: hasAlpha, profile: nil, metadata: ImageMetadata(), isAnimation: true,
      options: options)
    for index in 0..<animation.frameCount {
      let frame = index == 0 ? first : try animation.frame(index)
      guard hasAlpha || frame.bitmap.isOpaque else { return nil }
      try writer.add(frame.bitmap, duration: frame.duration)
    }
    return try writer.finish()
  }
}
#endif
