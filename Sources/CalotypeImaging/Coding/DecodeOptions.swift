/// How to decode.
public struct DecodeOptions: Hashable, Sendable {
  /// What the input may demand.
  public var limits: DecodeLimits
  /// Turn the picture upright by its Exif orientation. On by default.
  public var appliesOrientation: Bool
  /// Deliver the decoded part of an image whose data ends early or is damaged, instead of an error. The missing
  /// part is transparent, or grey in JPEG. Off by default.
  public var allowsPartial: Bool
  /// Shrink while decoding. `nil` decodes at full size.
  public var thumbnail: Thumbnail?

  /// Creates options; what is not named keeps its default.
  public init(
    limits: DecodeLimits = .default, appliesOrientation: Bool = true, allowsPartial: Bool = false,
    thumbnail: Thumbnail? = nil
  ) {
    self.limits = limits
    self.appliesOrientation = appliesOrientation
    self.allowsPartial = allowsPartial
    self.thumbnail = thumbnail
  }
}
