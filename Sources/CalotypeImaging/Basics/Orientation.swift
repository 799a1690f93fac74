/// The transformation that makes a stored picture upright: the Exif tag 0x0112 (CIPA DC-008), 1 to 8.
///
/// The names give the position of row 0 and column 0 of the stored picture in the upright one.
public enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  /// As stored.
  case topLeft = 1
  /// Mirrored left to right.
  case topRight = 2
  /// Rotated by 180 degrees.
  case bottomRight = 3
  /// Mirrored top to bottom.
  case bottomLeft = 4
  /// Mirrored along the main diagonal (transposed).
  case leftTop = 5
  /// To be rotated by 90 degrees clockwise.
  case rightTop = 6
  /// Mirrored along the other diagonal (transversed).
  case rightBottom = 7
  /// To be rotated by 90 degrees counter-clockwise.
  case leftBottom = 8

  /// A Boolean value that indicates whether width and height of the upright picture are exchanged.
  public var swapsAxes: Bool { rawValue >= 5 }

  /// Returns the size of the upright picture for a stored size.
  public func apply(to size: PixelSize) -> PixelSize {
    swapsAxes ? size.transposed : size
  }
}
