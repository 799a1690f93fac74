import Glibc

/// ``ResampleFilter/lanczos3`` at equidistant positions, with sines that are computed by sin(a + b) = sin a cos b + cos
/// a sin b.
///
/// They are exact to about the last bits of a double, and weights are rounded to far fewer.
struct LanczosAngle {
  /// The rotation from one distance to the next.
  struct Turn {
    fileprivate let sine: Double
    fileprivate let cosine: Double

    init(by step: Double) {
      sine = sin(step * .pi / 3)
      cosine = cos(step * .pi / 3)
    }
  }

  private let turn: Turn
  private var sine = 0.0
  private var cosine = 0.0
  /// The number of rotations before both are computed anew: each adds a rounding error.
  private var turns = 0

  private static let turnsAtMost = 32

  init(_ turn: Turn) {
    self.turn = turn
  }

  /// Returns the weight at the next distance, or at the first one.
  mutating func weight(at distance: Double) -> Double {
    if turns == 0 {
      sine = sin(distance * .pi / 3)
      cosine = cos(distance * .pi / 3)
      turns = Self.turnsAtMost
    }
    defer {
      (sine, cosine) = (sine * turn.cosine + cosine * turn.sine, cosine * turn.cosine - sine * turn.sine)
      turns -= 1
    }
    return ResampleFilter.lanczos3(abs(distance), sine: sine)
  }
}
