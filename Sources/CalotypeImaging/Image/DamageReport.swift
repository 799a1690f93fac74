/// The flaws of the pixels of a picture.
struct DamageReport: OptionSet, Sendable {
  let rawValue: UInt8

  /// The data end early.
  static let partial = DamageReport(rawValue: 1)
  /// The data are damaged.
  static let damaged = DamageReport(rawValue: 2)
}

extension DamageReport {
  /// Creates the flaw of a picture that is delivered in spite of an error; none without one.
  init(_ failure: ImagingError?) {
    switch failure {
    case nil: self = []
    case .truncated: self = .partial
    default: self = .damaged
    }
  }
}

extension ImageInfo {
  /// Returns the info, marked as damaged if these flaws include damage.
  func marked(_ flaws: DamageReport) -> ImageInfo {
    guard flaws.contains(.damaged) else { return self }
    var info = self
    info.isDamaged = true
    return info
  }
}
