public import FoundationEssentials

/// An encoder for one format, to be registered in a ``CoderRegistry``.
public protocol ImageEncoding: Sendable {
  /// The format that this encoder writes.
  var format: ImageFormat { get }

  /// The error of every call, if a library that the encoder needs is not installed. `nil`, the default, for all others.
  var refusal: ImagingError? { get }

  /// Encodes an upright picture. Called on any thread, several at a time.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for options or a size that the format does not have,
  ///   ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data

  /// Returns true if a lower ``EncodeOptions/quality`` makes a smaller file, so that ``EncodeOptions/maxFileSize`` can
  /// be met. True by default, unless ``EncodeOptions/isLossless`` is set.
  func usesQuality(_ options: EncodeOptions) -> Bool

  /// Returns true if a file can hold a colour profile. Pictures with one that it cannot hold are converted to sRGB
  /// before they are encoded. True by default for ICC profiles and sRGB.
  func holds(_ profile: ColorProfile) -> Bool

  /// Encodes an animation.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` if the format has no animations, which is the default.
  func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data
}

extension ImageEncoding {
  /// Returns `nil`: nothing is missing.
  public var refusal: ImagingError? { nil }

  /// Returns true if the options ask for a lossy file.
  public func usesQuality(_ options: EncodeOptions) -> Bool { !options.isLossless }

  /// Returns true for ICC profiles and sRGB.
  public func holds(_ profile: ColorProfile) -> Bool {
    switch profile {
    case .icc, .sRGB: true
    case .calibrated, .cicp: false
    }
  }

  /// Throws an error, because the format has no animations.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    throw .unsupportedFormat(
      format, reason: "it has no animations; write one frame, or choose webp, gif or apng")
  }
}
