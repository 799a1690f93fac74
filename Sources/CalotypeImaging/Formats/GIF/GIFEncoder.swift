public import FoundationEssentials

/// Writes GIF (89a), still and animated.
///
/// At most 256 colours a frame, chosen for it when those of the first do not hold all of its own; an alpha below 128
/// becomes transparent, any other opaque. Frames after the first are cut to the rectangle that changes, with
/// unchanged pixels transparent.
public struct GIFEncoder: ImageEncoding {
  /// The largest width and height that the format can hold.
  public static let maxSide = 65535

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/gif``.
  public var format: ImageFormat { .gif }

  /// `false`: the format is lossless, or has no quality.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// One frame. Of the options only `dithers` matters.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a picture larger than ``maxSide``,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let source = AnimationSource(frameCount: 1, loopCount: 1) { (_) throws(ImagingError) in
      AnimationSource.Frame(bitmap: image.bitmap, duration: .zero)
    }
    return try encode(source, options: options)
  }

  /// All frames, each for its duration in hundredths of a second: rounded, 2 at least, as players take less for
  /// 10. Three frames are in memory at a time.
  ///
  /// - Throws: as ``encode(_:options:)-(Image,_)``, also for frames of different sizes or none, and what `animation`
  ///   throws.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    guard animation.frameCount > 0, animation.loopCount >= 0 else {
      throw .invalidParameter(name: "animation", reason: "it has no frames, or plays less than never")
    }
    var pending = try frame(0, of: animation, size: nil)
    var writer = try GIFWriter(
      size: pending.bitmap.size, loopCount: animation.frameCount > 1 ? animation.loopCount : nil,
      dithers: options.dithers)
    for index in 1..<max(1, animation.frameCount) {
      let next = try frame(index, of: animation, size: pending.bitmap.size)
      try writer.add(pending, before: next.bitmap)
      pending = next
    }
    try writer.add(pending, before: nil)
    return writer.finished()
  }

  private func frame(
    _ index: Int, of animation: AnimationSource, size: PixelSize?
  ) throws(ImagingError) -> AnimationSource.Frame {
    if Task.isCancelled { throw .cancelled }
    var frame = try animation.frame(index)
    let found = frame.bitmap.size
    guard found.width <= Self.maxSide, found.height <= Self.maxSide else {
      throw .invalidParameter(
        name: "size",
        reason: "GIF holds at most \(Self.maxSide)×\(Self.maxSide) pixels, not \(found); shrink it first")
    }
    guard size == nil || size == found else {
      throw .invalidParameter(name: "animation", reason: "frame \(index) is \(found), not as the first")
    }
    frame.bitmap = try frame.bitmap.converted(to: .rgba8)
    return frame
  }
}
