public import CalotypeImaging
public import CalotypeURLs

/// The removal of a uniform border.
///
/// Transparent pixels count as magenta. A row or column belongs to the border as long as no channel of its pixels differs
/// from the key by more than the threshold.
public struct TrimOperation: Hashable, Sendable {
  /// The greatest difference of a channel, 0 to 255.
  public var threshold: Double
  /// The colour of the border; `nil` for that of the pixel in ``corner``.
  public var color: RGBColor?
  /// The place of the first stored pixel in the upright picture.
  public var corner: Orientation
  /// A Boolean value that indicates whether left and right lose as much as the smaller of both.
  public var isEqualHorizontally: Bool
  /// A Boolean value that indicates whether top and bottom do.
  public var isEqualVertically: Bool

  /// Creates an operation.
  public init(
    threshold: Double, color: RGBColor? = nil, corner: Orientation = .topLeft,
    isEqualHorizontally: Bool = false, isEqualVertically: Bool = false
  ) {
    self.threshold = threshold
    self.color = color
    self.corner = corner
    self.isEqualHorizontally = isEqualHorizontally
    self.isEqualVertically = isEqualVertically
  }
}
