/// A box to shrink a picture to. Pictures are never enlarged.
public struct Thumbnail: Hashable, Sendable {
  /// How a picture meets the box.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// The largest size of the picture's own proportions that lies within the box.
    case fit
    /// The box is filled; what sticks out is cut off evenly at both sides.
    case fill
    /// Exactly the box; the proportions change.
    case stretch
  }

  /// The box, in upright pixels. A side of 0 is free and follows from the other.
  public var box: PixelSize
  /// How the picture meets the box.
  public var mode: Mode
  /// The reconstruction filter.
  public var filter: ResampleFilter

  /// Creates a thumbnail description.
  public init(box: PixelSize, mode: Mode, filter: ResampleFilter = .lanczos3) {
    self.box = box
    self.mode = mode
    self.filter = filter
  }

  /// Within a box of this size, proportions kept.
  public static func fit(_ width: Int, _ height: Int) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width, height: height), mode: .fit)
  }

  /// Filling a box of this size, proportions kept, the excess cut off.
  public static func fill(_ width: Int, _ height: Int) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width, height: height), mode: .fill)
  }

  /// Exactly this size, whatever the proportions.
  public static func stretch(_ width: Int, _ height: Int) -> Thumbnail {
    Thumbnail(box: PixelSize(width: width, height: height), mode: .stretch)
  }
}
