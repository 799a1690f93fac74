public import FoundationEssentials

extension CoderRegistry {
  /// Reads the header of an image from its first bytes.
  ///
  /// 64 KiB are enough for almost all images; the metadata of a JPEG before its pixels may be longer.
  ///
  /// - Parameters:
  ///   - prefix: The first bytes of the encoded image.
  ///   - limits: The limits of the image.
  ///   - formatHint: As ``DecodeOptions/formatHint``.
  /// - Returns: The header; `nil` if more bytes are needed.
  /// - Throws: The errors of ``probe(_:limits:formatHint:page:)`` that more bytes cannot mend.
  public func header(
    of prefix: Data, limits: DecodeLimits = .default, formatHint: ImageFormat? = nil
  ) throws(ImagingError) -> ImageHeader? {
    try limits.check(byteCount: prefix.count)
    guard
      case .decoder(let decoder) = try choose(
        for: prefix, isWhole: false, hint: formatHint, purpose: .header)
    else {
      return nil
    }
    guard let header = try decoder.header(of: prefix, limits: limits) else { return nil }
    try limits.check(header.info)
    return header
  }
}
