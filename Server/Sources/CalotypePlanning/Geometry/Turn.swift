import CalotypeImaging
import CalotypeURLs

/// A rotation clockwise, followed by reflections.
struct Turn: Hashable {
  /// Quarter turns clockwise, 0 to 3.
  var quarters = 0
  /// Exchanges left and right after the rotation.
  var flipsHorizontally = false
  /// Exchanges top and bottom after the rotation.
  var flipsVertically = false

  init(degrees: Int = 0, flip: ProcessingStage.Flip? = nil) {
    quarters = ((degrees / 90) % 4 + 4) % 4
    flipsHorizontally = flip?.horizontally ?? false
    flipsVertically = flip?.vertically ?? false
  }

  /// The turn that makes a stored picture upright.
  init(_ orientation: Orientation) {
    switch orientation {
    case .topLeft, .topRight: quarters = 0
    case .bottomRight, .bottomLeft: quarters = 2
    case .leftTop, .rightTop: quarters = 1
    case .rightBottom, .leftBottom: quarters = 3
    }
    flipsHorizontally = [.topRight, .bottomLeft, .leftTop, .rightBottom].contains(orientation)
  }

  /// A Boolean value that indicates whether width and height are exchanged.
  var swapsAxes: Bool { quarters % 2 == 1 }

  /// Returns the size of a picture after the turn; also that before it for one after it.
  func apply(to size: PixelSize) -> PixelSize { swapsAxes ? size.transposed : size }

  /// Returns a rectangle of a picture where it is after the turn.
  func apply(to region: PixelRegion, in picture: PixelSize) -> PixelRegion {
    var (region, picture) = (region, picture)
    for _ in 0..<quarters {
      region = PixelRegion(
        x: picture.height - region.origin.y - region.size.height, y: region.origin.x,
        width: region.size.height, height: region.size.width)
      picture = picture.transposed
    }
    if flipsHorizontally { region.origin.x = picture.width - region.origin.x - region.size.width }
    if flipsVertically { region.origin.y = picture.height - region.origin.y - region.size.height }
    return region
  }

  /// Returns a gravity as it reads before the turn: it names the same part of the picture.
  func undone(on gravity: Gravity) -> Gravity {
    switch gravity.kind {
    case .focusPoint:
      var (x, y) = (gravity.x ?? 0, gravity.y ?? 0)
      if flipsHorizontally { x = 1 - x }
      if flipsVertically { y = 1 - y }
      for _ in 0..<quarters { (x, y) = (y, 1 - x) }
      return Gravity(.focusPoint, x: x, y: y)
    case .compass:
      let pull = GravityPull(gravity)
      // Offsets point away from the named edge: as vectors, they turn with the picture.
      let sign = { (edge: GravityPull.Edge) in edge == .far ? -1.0 : 1.0 }
      let (x, y) = undone(
        x: sign(pull.horizontal) * (gravity.x ?? 0), y: sign(pull.vertical) * (gravity.y ?? 0))
      let edges = undone(x: Double(pull.horizontal.rawValue), y: Double(pull.vertical.rawValue))
      let edge = { (side: Double) in side < 0 ? GravityPull.Edge.near : side > 0 ? .far : .middle }
      let turned = GravityPull(horizontal: edge(edges.x), vertical: edge(edges.y))
      return Gravity(
        .compass(turned.compass), x: sign(turned.horizontal) * x, y: sign(turned.vertical) * y)
    case .smart, .objects, .weightedObjects: return gravity
    }
  }

  private func undone(x: Double, y: Double) -> (x: Double, y: Double) {
    var (x, y) = (flipsHorizontally ? -x : x, flipsVertically ? -y : y)
    for _ in 0..<quarters { (x, y) = (y, -x) }
    return (x, y)
  }
}
