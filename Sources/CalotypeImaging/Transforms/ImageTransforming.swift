/// A step that changes a picture. Conform, wrap in an ``ImageTransform``, done.
///
/// Steps see upright pixels in sRGB, ``PixelFormat/rgba8``, straight alpha. They are called on any thread, several at
/// a time, and never on the cooperative pool; those that work for longer than a few milliseconds ask
/// `Task.isCancelled` between rows and throw ``ImagingError/cancelled``.
public protocol ImageTransforming: Sendable {
  /// Everything that the result depends on besides the picture, as text: `blur:2.5`, `crop:x=10,y=20,width=300,height=200`.
  ///
  /// Two steps with the same identity are taken for the same step, in caches too. Those of the library, but for
  /// overlays, are written as ``ImageTransform/init(parsing:loadingImages:)`` reads them.
  var identity: String { get }

  /// Returns the changed picture.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense, or not for a
  ///   picture of this size; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap

  /// The change of a pixel, for a step that changes each pixel by itself; `nil`, the default, for all others.
  ///
  /// Neighbouring steps that have one share a pass over the pixels, with the same bytes as ``apply(to:)`` of each.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense.
  var colorOperation: ColorOperation? { get throws(ImagingError) }

  /// Whether the step reads pixels to decide on the size or place of its result. `false` by default.
  var isContentDependent: Bool { get }

  /// The steps that have the result of this one for `bitmap` and decide nothing by pixels. `[self]` by default.
  ///
  /// Frames of an animation come out alike because the first frame decides for all of them.
  ///
  /// - Throws: As ``apply(to:)``.
  func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming]

  /// The thumbnail to which a decoder may shrink the picture before this step, when it is the first one. `nil`, the
  /// default, if the step needs the picture at its full size.
  ///
  /// The result of the step has to be the same up to resampling.
  var thumbnail: Thumbnail? { get }

  /// The steps that replace this one and `next`, with the same bytes; an empty array if both undo each other. `nil`, the
  /// default, if both stay.
  func followed(by next: any ImageTransforming) -> [any ImageTransforming]?
}

extension ImageTransforming {
  /// `nil`: pixels depend on each other.
  public var colorOperation: ColorOperation? {
    get throws(ImagingError) { nil }
  }

  /// `false`: the step does the same to all pictures of a size.
  public var isContentDependent: Bool { false }

  /// The step itself.
  public func resolved(for bitmap: Bitmap) throws(ImagingError) -> [any ImageTransforming] { [self] }

  /// `nil`: the step needs the picture at its full size.
  public var thumbnail: Thumbnail? { nil }

  /// `nil`: both steps stay.
  public func followed(by next: any ImageTransforming) -> [any ImageTransforming]? { nil }
}
