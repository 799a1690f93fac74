import CalotypeURLs

/// A transition across a picture: nothing before its start, everything behind its end, linear between.
public struct RampOperation: Hashable, Sendable {
  /// The direction in which it grows, in degrees clockwise, 0 to 360: 0 is downwards, 90 to the left.
  public var degrees: Double
  /// Its start, as a share of the extent of the picture along the direction.
  public var start: Double
  /// Its end, likewise.
  public var stop: Double

  /// Creates a transition.
  public init(degrees: Double, start: Double, stop: Double) {
    self.degrees = degrees
    self.start = start
    self.stop = stop
  }

  /// Creates the transition of an option.
  init(_ direction: ProcessingStage.Direction?, start: Double?, stop: Double?) {
    let degrees: Double =
      switch direction ?? .down {
      case .down: 0
      case .left: 90
      case .up: 180
      case .right: 270
      case .degrees(let degrees): degrees
      }
    let turned = degrees.limited(to: -1e9...1e9, orIfNaN: 0).truncatingRemainder(dividingBy: 360)
    self.init(degrees: turned < 0 ? turned + 360 : turned, start: start ?? 0, stop: stop ?? 1)
  }
}
