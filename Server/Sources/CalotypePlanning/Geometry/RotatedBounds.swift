import CalotypeImaging
import Glibc

/// The bounds of rotated pictures.
enum RotatedBounds {
  /// Returns the smallest size that contains a picture after a rotation, as `Transforms.Rotate` makes it.
  static func size(of size: PixelSize, degrees: Double) -> PixelSize {
    let quarters = degrees / 90
    if quarters == quarters.rounded() {
      return Int(quarters) % 2 == 0 ? size : size.transposed
    }
    let angle = degrees * .pi / 180
    let (sine, cosine) = (abs(sin(angle)), abs(cos(angle)))
    let (width, height) = (Double(size.width), Double(size.height))
    // A smaller excess is invisible.
    func side(_ length: Double) -> Int { max(1, Rounding.away((length - 1e-3).rounded(.up))) }
    return PixelSize(
      width: side(width * cosine + height * sine), height: side(width * sine + height * cosine))
  }
}
