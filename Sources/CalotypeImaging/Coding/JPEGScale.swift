/// The scales at which JPEG decoders deliver pictures: 1, 1/2, 1/4 and 1/8.
package enum JPEGScale {
  /// Returns 8, 4, 2 or 1: the largest divisor of `size` whose quotient is not below `minimumSize`.
  package static func denominator(for size: PixelSize, minimumSize: PixelSize?) -> Int {
    guard let minimumSize else { return 1 }
    for denominator in [8, 4, 2] {
      let width = (size.width + denominator - 1) / denominator
      let height = (size.height + denominator - 1) / denominator
      if width >= minimumSize.width, height >= minimumSize.height { return denominator }
    }
    return 1
  }
}
