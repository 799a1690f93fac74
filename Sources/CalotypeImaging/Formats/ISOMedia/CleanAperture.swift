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

  /// Returns the part of a picture of a size; `nil` if it is no part of it. Fractions of pixels are cut off.
  func part(of picture: PixelSize) -> PixelRectangle? {
    guard width.denominator > 0, height.denominator > 0 else { return nil }
    let size = PixelSize(
      width: Int(width.numerator / width.denominator), height: Int(height.numerator / height.denominator))
    guard size.width > 0, size.height > 0, size.width <= picture.width, size.height <= picture.height else {
      return nil
    }
    return PixelRectangle(
      x: Self.start(
        of: width, in: picture.width, offset: horizontalOffset, spare: picture.width - size.width),
      y: Self.start(
        of: height, in: picture.height, offset: verticalOffset, spare: picture.height - size.height),
      size: size)
  }

  /// Returns the position of the part on an axis: `offset` is the distance of its centre from that of the picture.
  private static func start(of length: Fraction, in side: Int, offset: Fraction, spare: Int) -> Int {
    let length = Double(length.numerator) / Double(length.denominator)
    let center = offset.denominator > 0 ? offset.signed / Double(offset.denominator) : 0
    return Int(min(max(0, (center + (Double(side) - length) / 2).rounded(.down)), Double(spare)))
  }
}

extension CleanAperture.Fraction {
  /// The numerator of an offset.
  fileprivate var signed: Double { Double(Int32(bitPattern: numerator)) }
}
