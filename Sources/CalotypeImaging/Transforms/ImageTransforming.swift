/// A step that changes a picture, to be wrapped in an ``ImageTransform``.
///
/// Steps receive upright pixels in sRGB, ``PixelFormat/rgba8``, straight alpha. They are called on any thread, several
/// at a time, and never on the cooperative pool. Steps that take longer than a few milliseconds check
/// `Task.isCancelled` between rows and throw ``ImagingError/cancelled``.
public protocol ImageTransforming: Sendable {
  /// All parameters of the result besides the picture, as text: `blur:2.5`, `crop:x=10,y=20,width=300,height=200`.
  ///
  /// Steps with equal identities count as the same step, also in caches. Identities of the steps of the library, except
  /// for overlays, can be parsed by ``ImageTransform/init(parsing:loadingImages:)``.
  var identity: String { get }

  /// Returns the changed picture.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that are invalid in general or for a
  ///   picture of this size; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap

  /// The operation on a pixel, for a step that changes each pixel independently; `nil`, the default, for all others.
  ///
  /// Neighbouring steps with an operation share a pass over the pixels, with the same bytes as ``apply(to:)`` of each.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for invalid parameters.
  var colorOperation: ColorOperation? { get throws(ImagingError) }

  /// A Boolean value that indicates whether the step reads pixels to determine the size or position of its result.
  /// `false` by default.
  var isContentDependent: Bool { get }

  /// Returns steps that have the result of this one for `bitmap` and do not depend on pixels. `[self]` by default.
  ///
  /// The first frame of an animation resolves the steps for all frames, so that all come out alike.
  ///
  /// - Throws: The errors of ``apply(to:)``.
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming]

  /// The thumbnail to which a decoder may shrink the picture before this step, if it is the first one. `nil`, the
  /// default, if the step needs the picture at its full size.
  ///
  /// The result of the step has to be the same up to resampling.
  var thumbnail: Thumbnail? { get }

  /// Returns steps that replace this one and `next`, with the same bytes; an empty array if they cancel out. `nil`, the
  /// default, keeps both.
  func followed(by next: any ImageTransforming) -> [any ImageTransforming]?
}

extension ImageTransforming {
  /// `nil`: the step does not change pixels independently.
  public var colorOperation: ColorOperation? {
    get throws(ImagingError) { nil }
  }

  /// `false`: the step treats all pictures of a size alike.
  public var isContentDependent: Bool { false }

  /// Returns the step itself.
  public func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] { [self] }

  /// `nil`: the step needs the picture at its full size.
  public var thumbnail: Thumbnail? { nil }

  /// Returns `nil`: both steps stay.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? { nil }
}
