public import CalotypeImaging
public import CalotypeURLs

/// The rule by which a gravity places a box in another.
///
/// Offsets of 1 and more, or −1 and less, are pixels, multiplied by the device pixel ratio; others are shares of the outer
/// side. They point inwards from the named edge, and to the right and downwards from the centre. All numbers are rounded
/// to the even neighbour.
public struct GravityPlacement: Hashable, Sendable {
  /// The size of the box outside: the picture of a crop, the canvas of an extension.
  public var outer: PixelSize
  /// The size of the box to place.
  public var inner: PixelSize
  /// The factor of offsets in pixels.
  public var dpr: Double
  /// A Boolean value that indicates whether the inner box may hang over the edge of the outer one, as long as one pixel
  /// of it stays inside.
  public var mayOverhang: Bool

  /// Creates a rule.
  public init(of inner: PixelSize, in outer: PixelSize, dpr: Double = 1, mayOverhang: Bool = false) {
    self.outer = outer
    self.inner = inner
    self.dpr = dpr
    self.mayOverhang = mayOverhang
  }

  /// Returns the upper left corner of the inner box. Gravities that read pixels count as the centre.
  public func origin(for gravity: Gravity) -> PixelPoint {
    let pull = GravityPull(gravity)
    return PixelPoint(
      x: along(outer.width, inner.width, pull.isPoint ? nil : pull.horizontal, gravity.x ?? 0),
      y: along(outer.height, inner.height, pull.isPoint ? nil : pull.vertical, gravity.y ?? 0))
  }

  /// Returns the position along one axis; without an edge, the offset is the position of a point.
  private func along(_ outer: Int, _ inner: Int, _ edge: GravityPull.Edge?, _ offset: Double) -> Int {
    let position: Int
    if let edge {
      let distance =
        abs(offset) >= 1 ? Rounding.even(offset * dpr) : Rounding.scaledToEven(outer, by: offset)
      switch edge {
      case .near: position = distance
      case .middle: position = Rounding.even(Double(outer - inner + 1) / 2) + distance
      case .far: position = outer - inner - distance
      }
    } else {
      position = Rounding.scaledToEven(outer, by: offset) - inner / 2
    }
    let range = mayOverhang ? (1 - inner, outer - 1) : (0, outer - inner)
    return max(range.0, min(position, range.1))
  }
}
