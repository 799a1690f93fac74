/// A box that a picture is shrunk to. Pictures are never enlarged.
public struct Thumbnail: Hashable, Sendable, Codable {
  /// The relation of a picture to the box.
  public enum Mode: String, Hashable, Sendable, CaseIterable, Codable {
    /// The largest size of the picture's own proportions that lies within the box.
    case fit
    /// The box is filled; what sticks out is cut off where ``Thumbnail/anchor`` says.
    case fill
    /// Exactly the box; the proportions change.
    case stretch
    /// The smallest size of the picture's own proportions that covers the box; nothing is cut off.
    case outside
  }

  /// The box, in upright pixels. A side of 0 is free and follows from the other.
  public var box: PixelSize
  /// The relation of the picture to the box.
  public var mode: Mode
  /// The part of the picture that is kept when the box is filled. Anchors that look at pixels are for ``Transforms/Resize`` and ``Transforms/Crop``.
  public var anchor: Anchor
  /// The reconstruction filter.
  public var filter: ResampleFilter
  /// The quality that may be lost for speed. ``Effort/fine`` by default.
  public var effort: Effort
  /// Mixes colours as light does, instead of mixing the stored numbers. Off by default.
  ///
  /// Fine bright detail keeps its brightness. Codecs that shrink while they decode mix what is stored; they then have
  /// to deliver twice the size that ``effort`` says. Colours are converted to sRGB before they are mixed.
  public var linearLight: Bool

  /// The freedom of a codec that can shrink while it decodes.
  public enum Effort: String, Hashable, Sendable, CaseIterable, Codable {
    /// It delivers at least twice the size of the thumbnail; ``Thumbnail/filter`` has the last word. JPEG photographs
    /// then come within 48 dB and more of a full decode.
    case fine
    /// It delivers at least the size of the thumbnail: up to a fifth faster for JPEG, within 37 dB and more.
    case fast
  }

  /// Creates a thumbnail description.
  public init(
    box: PixelSize, mode: Mode, anchor: Anchor = .center, filter: ResampleFilter = .lanczos3,
    effort: Effort = .fine,
    linearLight: Bool = false
  ) {
    self.box = box
    self.mode = mode
    self.anchor = anchor
    self.filter = filter
    self.effort = effort
    self.linearLight = linearLight
  }

  /// Fits the picture into a box; its proportions stay. A side that is left out follows from the other.
  public static func fit(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .fit)
  }

  /// Fills a box; the proportions stay, and the excess is cut off. A side that is left out follows from the other.
  public static func fill(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .fill)
  }

  /// Stretches the picture to exactly this size. A side that is left out follows from the other.
  public static func stretch(width: Int? = nil, height: Int? = nil) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width ?? 0, height: height ?? 0), mode: .stretch)
  }
}
