#if JXL
import CJXL
public import FoundationEssentials

/// An encoder for JPEG XL by libjxl, still and animated: lossy, or lossless with every pixel kept, including hidden
/// colours of transparent pixels; with 8 bits per sample, or 16 for a bitmap that has them.
///
/// The codestream stands alone, or in a file with boxes if metadata are kept. A JPEG becomes a smaller JPEG XL, from
/// which the same bytes can be made again, by ``JXLTranscoder``, not by this encoder.
public struct JXLEncoder: ImageEncoding {
  /// The largest width and height that libjxl can encode.
  public static let maxSide = 1 << 18

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/jxl``.
  public var format: ImageFormat { .jxl }

  /// The package to install if libjxl is missing; otherwise `nil`.
  public var refusal: ImagingError? { OptionalLibrary.jxl.refusal }

  /// Returns the encoded image. Alpha is kept, and omitted if the bitmap is known to be opaque. Grey stays grey.
  ///
  /// The task is checked for cancellation before and after a picture, not within.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100 or a picture larger
  ///   than ``maxSide``, ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``, ``ImagingError/unsupportedFormat(_:reason:)`` without the library.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let metadata = image.metadata.kept(options.keeps)
    var profile: Data?
    let bitmap = image.bitmap.format == .cmyk8 ? try image.bitmap.converted(to: .rgba8) : image.bitmap
    if options.keeps.contains(.icc), case .icc(let bytes) = image.profile,
      ICCHeader.explains(bitmap.format == .gray8 ? 1 : 3, bytes)
    {
      profile = bytes
    }
    let writer = try JXLWriter()
    let frame = try JXLSamples(bitmap, profile: profile)
    try writer.begin(frame, options: options, hasBoxes: metadata != ImageMetadata())
    if let exif = metadata.exif {
      // The offset of the TIFF structure comes first.
      try writer.addBox("Exif", Data(count: 4) + exif)
    }
    if let xmp = metadata.xmp { try writer.addBox("xml ", xmp) }
    try writer.add(frame, isLast: true)
    return try writer.finish()
  }

  /// Returns an animation of all frames, with alpha.
  ///
  /// - Throws: The errors of ``encode(_:options:)-(Image,_)``, also for frames of different sizes or none, and the
  ///   errors of `animation`.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    guard animation.frameCount > 0, let plays = UInt32(exactly: animation.loopCount) else {
      throw .invalidParameter(name: "animation", reason: "it has no frames, or plays less than never")
    }
    let writer = try JXLWriter()
    var size: PixelSize?
    for index in 0..<animation.frameCount {
      if Task.isCancelled { throw .cancelled }
      let frame = try animation.frame(index)
      guard size == nil || size == frame.bitmap.size else {
        throw .invalidParameter(
          name: "animation", reason: "frame \(index) is \(frame.bitmap.size), not as the first")
      }
      size = frame.bitmap.size
      let samples = try JXLSamples(rgba: frame.bitmap)
      if index == 0 { try writer.begin(samples, options: options, plays: plays) }
      // A frame without a time would be a layer of the next one.
      let milliseconds = UInt32(clamping: max(1, frame.duration.wholeMilliseconds))
      try writer.add(samples, milliseconds: milliseconds, isLast: index == animation.frameCount - 1)
    }
    return try writer.finish()
  }
}
#endif
