public import FoundationEssentials

/// An encoder for GIF (89a), still and animated.
///
/// A frame has at most 256 colours. All frames share a palette if it holds their colours; otherwise, a frame gets one of its
/// own if that of the first does not contain all of its colours. An alpha below 128 becomes transparent, any other opaque.
/// Frames after the first are cropped to the rectangle that changes, with unchanged pixels transparent or painted again, as
/// it takes fewer bytes. ``GIFSetting`` has the settings of lossy compression.
public struct GIFEncoder: ImageEncoding {
  /// The largest width and height that the format can hold.
  public static let maxSide = 65535

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/gif``.
  public var format: ImageFormat { .gif }

  /// Returns false: the format is lossless, or has no quality.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Returns a GIF of one frame. The options in effect are `dithers`, `effort`, and ``GIFSetting``.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a picture larger than ``maxSide`` or a request for
  ///   every pixel exactly, ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let source = AnimationSource(frameCount: 1, loopCount: 1) { (_) throws(ImagingError) in
      AnimationSource.Frame(bitmap: image.bitmap, duration: .zero)
    }
    return try encode(source, options: options)
  }

  /// Returns a GIF of all frames. Their durations are rounded to hundredths of a second and are at least 2, because
  /// players replace less by 10. Three frames are in memory at a time. All frames are requested twice, first for their colours.
  ///
  /// - Throws: The errors of ``encode(_:options:)-(Image,_)``, also for frames of different sizes or none, and the
  ///   errors of `animation`.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    guard !options.isLossless else {
      throw .invalidParameter(name: "isLossless", reason: "a frame of a GIF has 256 colours; use PNG or WebP")
    }
    guard animation.frameCount > 0, animation.loopCount >= 0 else {
      throw .invalidParameter(name: "animation", reason: "it has no frames, or plays less than never")
    }
    let common = try commonPalette(of: animation)
    var pending = try frame(0, of: animation, size: nil)
    var writer = try GIFWriter(
      size: pending.bitmap.size, loopCount: animation.frameCount > 1 ? animation.loopCount : nil,
      common: common, options: options)
    for index in 1..<max(1, animation.frameCount) {
      let next = try frame(index, of: animation, size: pending.bitmap.size)
      try writer.add(pending, before: next.bitmap)
      pending = next
    }
    try writer.add(pending, before: nil)
    return writer.finished()
  }

  /// Returns the palette that holds all colours of an animation; `nil` if there are too many, and for a still image, whose
  /// palette is made later.
  private func commonPalette(of animation: AnimationSource) throws(ImagingError) -> Palette? {
    guard animation.frameCount > 1 else { return nil }
    let colors = ColorHistogram(hasBinaryAlpha: true)
    var order = GIFColorOrder()
    let size = try frame(0, of: animation, size: nil).bitmap.size
    for index in 0..<animation.frameCount {
      let bitmap = try frame(index, of: animation, size: size).bitmap
      try colors.add(bitmap)
      if !colors.fits(256) { return nil }
      order.add(bitmap)
    }
    let palette = try colors.palette(maxColors: 256, reservesTransparency: true)
    return Palette(colors: order.sorted(palette.colors), isExact: palette.isExact)
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
