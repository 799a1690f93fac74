import Foundation

@testable import CalotypeImaging

/// Transitions as their definition has them, from the corners of the picture.
enum RampReference {
  /// The share of a pixel's centre.
  static func share(_ ramp: Transforms.Ramp, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Double {
    let angle = ramp.degrees * Double.pi / 180
    let direction = (-sin(angle), cos(angle))
    func along(_ x: Double, _ y: Double) -> Double { x * direction.0 + y * direction.1 }
    let (right, bottom) = (Double(width), Double(height))
    let corners = [along(0, 0), along(right, 0), along(0, bottom), along(right, bottom)]
    let first = corners.min() ?? 0
    let extent = (corners.max() ?? 0) - first
    let position = (along(Double(x) + 0.5, Double(y) + 0.5) - first) / extent
    guard ramp.stop > ramp.start else { return position > ramp.start ? 1 : 0 }
    return min(max((position - ramp.start) / (ramp.stop - ramp.start), 0), 1)
  }
}
