import CalotypeURLs

/// The edges that a gravity names, one an axis.
struct GravityPull: Hashable {
  /// An edge of an axis.
  enum Edge: Int {
    /// The left or upper edge.
    case near = -1
    /// Neither.
    case middle = 0
    /// The right or lower edge.
    case far = 1

    var opposite: Edge {
      switch self {
      case .near: .far
      case .middle: .middle
      case .far: .near
      }
    }
  }

  var horizontal: Edge = .middle
  var vertical: Edge = .middle
  /// A Boolean value that indicates whether the offsets are a point.
  var isPoint = false

  init(horizontal: Edge, vertical: Edge) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  init(_ gravity: Gravity) {
    switch gravity.kind {
    case .compass(let compass): self = GravityPull(compass)
    case .focusPoint: isPoint = true
    case .smart, .objects, .weightedObjects: break
    }
  }

  private init(_ compass: Gravity.Compass) {
    switch compass {
    case .north, .northEast, .northWest: vertical = .near
    case .south, .southEast, .southWest: vertical = .far
    case .center, .east, .west: break
    }
    switch compass {
    case .west, .northWest, .southWest: horizontal = .near
    case .east, .northEast, .southEast: horizontal = .far
    case .center, .north, .south: break
    }
  }

  /// The name of these edges.
  var compass: Gravity.Compass {
    Gravity.Compass.allCases.first { GravityPull($0) == self } ?? .center
  }
}
