public import FoundationEssentials

/// An encoder for one format. Conform, register in a ``CoderRegistry``, done.
public protocol ImageEncoding: Sendable {
  /// The format written.
  var format: ImageFormat { get }

  /// Encodes an upright picture. Called on any thread, several at a time.
  func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data

  /// Whether a lower ``EncodeOptions/quality`` makes fewer bytes, so that ``EncodeOptions/maxFileSize`` can be met.
  /// By default, unless ``EncodeOptions/isLossless`` is set.
  func usesQuality(_ options: EncodeOptions) -> Bool

  /// Encodes an animation.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` when the format has no animations, which is the
  ///   default.
  func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data
}

extension ImageEncoding {
  /// Whether the options ask for a lossy file.
  public func usesQuality(_ options: EncodeOptions) -> Bool { !options.isLossless }

  /// Refuses: the format has no animations.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    throw .unsupportedFormat(
      format, reason: "it has no animations; write one frame, or choose webp, gif or apng")
  }
}
