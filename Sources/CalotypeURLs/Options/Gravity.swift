/// The part of an image that is kept where something is cut off, or the place where something lies in it.
public struct Gravity: Hashable, Sendable {
  /// A kind of gravity.
  public enum Kind: Hashable, Sendable {
    /// An edge, a corner or the centre.
    case compass(Compass)
    /// The part that attracts the eye (`sm`).
    case smart
    /// A point (`fp`); both offsets are its position, 0 to 1 from the left and from the top.
    case focusPoint
    /// Objects of the classes, all if there are none (`obj`; Pro). A server without a model uses ``smart`` instead.
    case objects([String])
    /// Objects with the weights of their classes (`objw`; Pro).
    case weightedObjects([WeightedClass])
  }

  /// A class of objects and its weight.
  public struct WeightedClass: Hashable, Sendable {
    /// Name of the class, or `all`.
    public var name: String
    /// Weight, 0 or more.
    public var weight: Double

    /// A class.
    public init(_ name: String, weight: Double) {
      self.name = name
      self.weight = weight
    }
  }

  /// An edge, a corner or the centre.
  public enum Compass: String, Hashable, Sendable, CaseIterable {
    /// The centre.
    case center = "ce"
    /// The upper edge.
    case north = "no"
    /// The right edge.
    case east = "ea"
    /// The lower edge.
    case south = "so"
    /// The left edge.
    case west = "we"
    /// The upper right corner.
    case northEast = "noea"
    /// The upper left corner.
    case northWest = "nowe"
    /// The lower right corner.
    case southEast = "soea"
    /// The lower left corner.
    case southWest = "sowe"
  }

  /// The kind.
  public var kind: Kind
  /// Offset from the named edge inwards, from the centre to the right: pixels from 1 and to −1, else a share of the side;
  /// default 0.
  public var x: Double?
  /// Offset from the named edge inwards, from the centre downwards; default 0.
  public var y: Double?

  /// A gravity.
  public init(_ kind: Kind, x: Double? = nil, y: Double? = nil) {
    self.kind = kind
    self.x = x
    self.y = y
  }

  /// An edge, a corner or the centre, with offsets.
  public static func compass(_ compass: Compass, x: Double? = nil, y: Double? = nil) -> Gravity {
    Gravity(.compass(compass), x: x, y: y)
  }

  /// The part that attracts the eye.
  public static let smart = Gravity(.smart)

  /// A point, 0 to 1 from the left and from the top.
  public static func focusPoint(x: Double, y: Double) -> Gravity { Gravity(.focusPoint, x: x, y: y) }
}
