/// The treatment of images whose data are damaged.
///
/// Data are damaged if they are present and invalid: a flipped bit, an undefined code, a component without a scan. Data
/// that end early are not damaged: they are an error under every policy, unless ``DecodeOptions/allowsPartial`` accepts
/// the part that is present.
public enum DamagePolicy: String, Hashable, Sendable, CaseIterable {
  /// Delivers the pixels that can be recovered, as browsers do, and marks the image with ``ImageInfo/isDamaged``. For
  /// JPEG these are the pixels of libjpeg-turbo. If nothing can be recovered, the error remains.
  case tolerate
  /// Refuses damaged and truncated images, regardless of ``DecodeOptions/allowsPartial``.
  case strict
}

extension DecodeOptions {
  /// A Boolean value that indicates whether the decoded part of a truncated image is delivered.
  var keepsPartial: Bool { allowsPartial && damage == .tolerate }

  /// A Boolean value that indicates whether an image with damaged data is delivered.
  var toleratesDamage: Bool { damage == .tolerate }

  /// Returns true if the pixels decoded before an error are delivered instead of the error; for use by coders.
  ///
  /// ``ImagingError/truncated(_:byteCount:)`` then makes an image with ``Image/isPartial``,
  /// ``ImagingError/corrupt(_:reason:offset:)`` one with ``ImageInfo/isDamaged``; no other error is accepted.
  public func accepts(_ failure: ImagingError) -> Bool {
    switch failure {
    case .corrupt: toleratesDamage
    case .truncated: keepsPartial
    default: false
    }
  }
}
