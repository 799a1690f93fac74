import CPixels
import Glibc

extension Transforms {
  /// A transition across a picture: 0 before its start, 1 behind its stop, linear between.
  ///
  /// Positions are shares of the extent of the picture along the direction: 0 is where the picture begins, 1 where it
  /// ends. Each pixel counts with its centre.
  public struct Ramp: Hashable, Sendable {
    /// The direction in which it grows, in degrees clockwise from downwards: 90 is to the left, 180 upwards, 270 to the
    /// right.
    public var degrees: Double
    /// The start, from -100 to 100.
    public var start: Double
    /// The stop, from -100 to 100. One before ``start`` counts as the start itself: the transition is an edge.
    public var stop: Double

    /// Creates a transition; downwards, from one edge to the other, by default.
    public init(degrees: Double = 0, start: Double = 0, stop: Double = 1) {
      self.degrees = degrees
      self.start = start
      self.stop = stop
    }

    /// Parses the direction, the start and the stop, all of them optional. A direction may be `down`, `left`, `up` or
    /// `right`.
    init(_ arguments: inout TransformArguments) throws(ImagingError) {
      let sides = ["down": 0.0, "left": 90, "up": 180, "right": 270]
      degrees =
        try arguments.value("degrees", "a number, or down, left, up or right") { text in
          sides[text] ?? Double(text).flatMap { $0.isFinite ? $0 : nil }
        } ?? 0
      start = try arguments.number("start") ?? 0
      stop = try arguments.number("stop") ?? 1
    }

    /// `,degrees=90,start=0.2,stop=0.8`, without parameters that have their defaults.
    var suffix: String {
      (degrees == 0 ? "" : ",degrees=\(degrees.spelling)") + (start == 0 ? "" : ",start=\(start.spelling)")
        + (stop == 1 ? "" : ",stop=\(stop.spelling)")
    }

    /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for numbers out of their ranges; degrees have to be
    ///   within a million.
    func check(_ step: String) throws(ImagingError) {
      try degrees.require(in: -1e6...1e6, "degrees", of: step)
      try start.require(in: -100...100, "start", of: step)
      try stop.require(in: -100...100, "stop", of: step)
    }

    /// Returns the transition in a picture of this size, as a function of columns and rows.
    func line(in size: PixelSize) -> cpx_ramp {
      let (right, down) = Self.direction(degrees)
      let (width, height) = (Double(size.width), Double(size.height))
      let extent = abs(right) * width + abs(down) * height
      let length = max(stop - start, Self.shortest)
      let center = 0.5 - start
      let first = center + ((0.5 - width / 2) * right + (0.5 - height / 2) * down) / extent
      return cpx_ramp(
        origin: first / length, step_x: right / (extent * length), step_y: down / (extent * length))
    }

    /// The length of an edge.
    private static let shortest = 1e-9

    /// Returns the direction to the right and downwards; exact for multiples of 90 degrees.
    private static func direction(_ degrees: Double) -> (right: Double, down: Double) {
      let rest = degrees.truncatingRemainder(dividingBy: 360)
      switch rest < 0 ? rest + 360 : rest {
      case 0: return (0, 1)
      case 90: return (-1, 0)
      case 180: return (0, -1)
      case 270: return (1, 0)
      case let turned: return (-sin(turned * .pi / 180), cos(turned * .pi / 180))
      }
    }
  }
}
