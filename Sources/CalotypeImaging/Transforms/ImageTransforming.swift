/// A step that makes a picture of a picture. Conform, wrap in an ``ImageTransform``, done.
///
/// Steps see upright pixels in sRGB, ``PixelFormat/rgba8``, straight alpha. They are called on any thread, several at
/// a time, and never on the cooperative pool; those that work for longer than a few milliseconds ask
/// `Task.isCancelled` between rows and throw ``ImagingError/cancelled``.
public protocol ImageTransforming: Sendable {
  /// Everything that the result depends on beside the picture, as text: `blur:2.5`, `crop:x=10,y=20,width=300,height=200`.
  ///
  /// Two steps with the same identity are taken for the same step, in caches too. Those of the library, but for
  /// overlays, are written as ``ImageTransform/init(parsing:loadingImages:)`` reads them.
  var identity: String { get }

  /// The picture that this step makes of `bitmap`.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for parameters that make no sense, or not for a
  ///   picture of this size; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  func apply(to bitmap: Bitmap) throws(ImagingError) -> Bitmap
}
