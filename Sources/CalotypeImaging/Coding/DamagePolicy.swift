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

/// What the pixels of a picture lack.
struct DamageReport: OptionSet, Sendable {
  let rawValue: UInt8

  /// The data end early.
  static let partial = DamageReport(rawValue: 1)
  /// The data are damaged.
  static let damaged = DamageReport(rawValue: 2)
}

extension DamageReport {
  /// The flaw of a picture that is delivered in spite of an error; none without one.
  init(_ failure: ImagingError?) {
    switch failure {
    case nil: self = []
    case .truncated: self = .partial
    default: self = .damaged
    }
  }
}

extension ImageInfo {
  /// The same, damaged if these flaws say so.
  func marked(_ flaws: DamageReport) -> ImageInfo {
    guard flaws.contains(.damaged) else { return self }
    var info = self
    info.isDamaged = true
    return info
  }
}
