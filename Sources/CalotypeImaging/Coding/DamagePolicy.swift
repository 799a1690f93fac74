/// The treatment of images whose data are damaged.
///
/// Damage is data that are there and make no sense: a flipped bit, a code that nothing defines, a component without a
/// scan. Data that end early are not damage: they are an error under every policy, unless
/// ``DecodeOptions/allowsPartial`` accepts the part that is there.
public enum DamagePolicy: String, Hashable, Sendable, CaseIterable {
  /// Shows the pixels that can be recovered, as browsers do, and marks the image with ``ImageInfo/isDamaged``. Of a
  /// JPEG these are the pixels of libjpeg-turbo. Where nothing can be recovered, the error remains.
  case tolerate
  /// Refuses damaged and truncated images, whatever ``DecodeOptions/allowsPartial`` says.
  case strict
}

extension DecodeOptions {
  /// Whether the part of an image whose data end early is delivered.
  var keepsPartial: Bool { allowsPartial && damage == .tolerate }

  /// Whether an image with damaged data is delivered.
  var toleratesDamage: Bool { damage == .tolerate }

  /// Whether the pixels decoded before an error are delivered instead of it: for coders. ``ImagingError/truncated(_:byteCount:)``
  /// then makes an image with ``Image/isPartial``, ``ImagingError/corrupt(_:reason:offset:)`` one with
  /// ``ImageInfo/isDamaged``; no other error is accepted.
  public func accepts(_ failure: ImagingError) -> Bool {
    switch failure {
    case .corrupt: toleratesDamage
    case .truncated: keepsPartial
    default: false
    }
  }
}
