/// The divisors of sides by which decoders shrink: 1, 2, 4 and 8.
package enum ScaleDivisor {
  /// Returns the largest divisor of `size` whose quotient, rounded up, is not below `minimumSize`; for JPEG, whose
  /// transform shrinks.
  package static func largest(for size: PixelSize, minimumSize: PixelSize?) -> Int {
    guard let minimumSize else { return 1 }
    for divisor in [8, 4, 2] {
      let width = (size.width + divisor - 1) / divisor
      let height = (size.height + divisor - 1) / divisor
      if width >= minimumSize.width, height >= minimumSize.height { return divisor }
    }
    return 1
  }

  /// Returns the largest divisor that leaves twice the minimum size; for the mean of boxes, which is a coarse filter: the
  /// resampling after it is to have something left to do.
  static func largestOfBoxes(for size: PixelSize, minimumSize: PixelSize?) -> Int {
    largest(
      for: size,
      minimumSize: minimumSize.map { minimum in
        PixelSize(width: 2 * min(minimum.width, size.width), height: 2 * min(minimum.height, size.height))
      })
  }
}
