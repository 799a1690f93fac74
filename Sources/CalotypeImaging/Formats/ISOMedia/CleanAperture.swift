/// The part of a picture to show (ISO/IEC 14496-12, 12.1.4), as fractions.
package struct CleanAperture: Hashable, Sendable {
  /// A fraction.
  package struct Fraction: Hashable, Sendable {
    package let numerator: UInt32
    package let denominator: UInt32
  }

  package let width: Fraction
  package let height: Fraction
  package let horizontalOffset: Fraction
  package let verticalOffset: Fraction

  /// Returns the size of the part; `nil` if it is no part of a picture of that size.
  package func size(within picture: PixelSize) -> PixelSize? {
    guard width.denominator > 0, height.denominator > 0 else { return nil }
    let size = PixelSize(
      width: Int(width.numerator / width.denominator), height: Int(height.numerator / height.denominator))
    guard size.width > 0, size.height > 0, size.width <= picture.width, size.height <= picture.height else {
      return nil
    }
    return size
  }
}
