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
