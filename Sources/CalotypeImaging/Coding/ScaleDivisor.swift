/// The divisors of sides by which decoders shrink: 1, 2, 4 and 8.
package enum ScaleDivisor {
  /// Returns the largest divisor of `size` whose quotient, rounded up, is not below `minimumSize`.
  package static func largest(for size: PixelSize, minimumSize: PixelSize?) -> Int {
    guard let minimumSize else { return 1 }
    for divisor in [8, 4, 2] {
      let width = (size.width + divisor - 1) / divisor
      let height = (size.height + divisor - 1) / divisor
      if width >= minimumSize.width, height >= minimumSize.height { return divisor }
    }
    return 1
  }
}
