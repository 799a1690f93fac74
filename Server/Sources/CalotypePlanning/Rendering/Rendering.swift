public import CalotypeImaging

/// A plan in the terms of CalotypeImaging.
///
/// ```swift
/// let rendering = try plan.rendering(of: info)
/// let image = try coders.decode(data, options: rendering.decode)
/// let result = try coders.encode(image, as: rendering.encode)
/// ```
public struct Rendering: Sendable {
  /// The options of the decode, with its transforms.
  public var decode: DecodeOptions
  /// The pages or frames of a still picture, for `CoderRegistry.decode(_:pages:options:)`; `nil` for the first, or the page
  /// of ``decode``.
  public var pages: Range<Int>?
  /// The number of frames of an animation, for `AnimationSource.prefix(_:)`; `nil` for a still picture.
  public var frames: Int?
  /// The options of the encode.
  public var encode: EncodeOptions
  /// The primitives in whose place something similar is done.
  public var approximations: Set<MissingPrimitive>
}
