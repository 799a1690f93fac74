public import FoundationEssentials

/// The header of an encoded image whose other bytes are not there yet: ``CoderRegistry/header(of:limits:formatHint:)``.
public struct ImageHeader: Hashable, Sendable {
  /// The description of the image. Metadata behind the pixels, such as the orientation of a WebP, are not in it.
  public var info: ImageInfo
  /// Whether the number of frames and their durations are those of the whole image. Otherwise, `frameCount` is the number
  /// that an APNG announces, or that of the frames in the bytes so far, and the durations are not complete.
  public var hasAllFrames: Bool

  /// Creates a header.
  public init(info: ImageInfo, hasAllFrames: Bool) {
    self.info = info
    self.hasAllFrames = hasAllFrames
  }
}

extension ImageDecoding {
  /// Returns `nil`: the header is read from whole inputs only.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? { nil }
}

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
  /// - Throws: The errors of ``probe(_:limits:formatHint:)`` that more bytes cannot mend.
  public func header(
    of prefix: Data, limits: DecodeLimits = .default, formatHint: ImageFormat? = nil
  ) throws(ImagingError) -> ImageHeader? {
    try limits.check(byteCount: prefix.count)
    guard case .decoder(let decoder) = try choose(for: prefix, isWhole: false, hint: formatHint) else {
      return nil
    }
    guard let header = try decoder.header(of: prefix, limits: limits) else { return nil }
    try limits.check(header.info)
    return header
  }
}
