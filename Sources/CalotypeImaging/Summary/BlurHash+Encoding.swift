import Glibc

extension BlurHash {
  /// Computes the hash of a picture.
  ///
  /// Pictures larger than 100×100 are shrunk first. BlurHash has no transparency: transparent pixels count as the mean
  /// of the others.
  ///
  /// - Parameters:
  ///   - bitmap: The picture, upright and in sRGB.
  ///   - componentsX: The number of horizontal cosines, 1 to 9. By default 4 for the longer side and 3 for the shorter
  ///     one.
  ///   - componentsY: The number of vertical cosines, 1 to 9.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for other numbers of components,
  ///   ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public init(
    of bitmap: Bitmap, componentsX: Int? = nil, componentsY: Int? = nil
  ) throws(ImagingError) {
    let x = componentsX ?? (bitmap.width >= bitmap.height ? 4 : 3)
    let y = componentsY ?? (bitmap.width > bitmap.height ? 3 : 4)
    guard (1...9).contains(x), (1...9).contains(y) else {
      throw .invalidParameter(name: "blurhash", reason: "there are 1 to 9 components each way, not \(x)×\(y)")
    }
    let small = try bitmap.converted(to: .rgba8).shrunkForFacts()
    try self.init(Self.text(of: Self.factors(of: small, x, y), x, y))
  }

  /// Returns the mean of the picture times each cosine, in linear light.
  private static func factors(of small: Bitmap, _ x: Int, _ y: Int) throws(ImagingError) -> [SIMD3<Double>] {
    let (width, height) = (small.width, small.height)
    let light = small.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { first in
        (
          SIMD3(
            SRGB.light[Int(bytes[first])], SRGB.light[Int(bytes[first + 1])],
            SRGB.light[Int(bytes[first + 2])]),
          Double(bytes[first + 3]) / 255
        )
      }
    }
    let visible = light.reduce(0) { $0 + $1.1 }
    let mean = visible > 0 ? light.reduce(SIMD3<Double>.zero) { $0 + $1.0 * $1.1 } / visible : .zero
    let across = waves(x, width)
    let down = waves(y, height)
    var factors = [SIMD3<Double>](repeating: .zero, count: x * y)
    for row in 0..<height {
      if Task.isCancelled { throw .cancelled }
      // Each row is summed once per horizontal cosine, and each sum is then used for every vertical one.
      var sums = [SIMD3<Double>](repeating: .zero, count: x)
      for column in 0..<width {
        let (color, alpha) = light[row * width + column]
        let shown = alpha == 1 ? color : mean + (color - mean) * alpha
        for i in 0..<x { sums[i] += shown * across[i][column] }
      }
      for j in 0..<y {
        for i in 0..<x { factors[j * x + i] += sums[i] * down[j][row] }
      }
    }
    for index in factors.indices { factors[index] *= (index == 0 ? 1 : 2) / Double(width * height) }
    return factors
  }

  private static func text(of factors: [SIMD3<Double>], _ x: Int, _ y: Int) -> String {
    var letters: [UInt8] = []
    func append(_ value: Int, letters count: Int) {
      var rest = value
      var group: [UInt8] = []
      for _ in 0..<count {
        group.append(digits[rest % 83])
        rest /= 83
      }
      letters += group.reversed()
    }
    append(x - 1 + (y - 1) * 9, letters: 1)
    let largest = factors.dropFirst().reduce(0) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
    let level = Int(min(max((largest * 166 - 0.5).rounded(.down), 0), 82))
    append(level, letters: 1)
    let scale = factors.count > 1 ? Double(level + 1) / 166 : 1
    let mean = factors[0]
    append(
      Int(SRGB.encoded(mean.x)) << 16 | Int(SRGB.encoded(mean.y)) << 8 | Int(SRGB.encoded(mean.z)), letters: 4
    )
    for factor in factors.dropFirst() {
      func quantised(_ value: Double) -> Int {
        let root = (abs(value) / scale).squareRoot()
        return Int(min(max(((value < 0 ? -root : root) * 9 + 9.5).rounded(.down), 0), 18))
      }
      append((quantised(factor.x) * 19 + quantised(factor.y)) * 19 + quantised(factor.z), letters: 2)
    }
    return String(decoding: letters, as: UTF8.self)
  }
}
