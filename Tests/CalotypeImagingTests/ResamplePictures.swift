@testable import CalotypeImaging

/// Pictures made for the resize tests.
enum ResamplePictures {
  /// The filters that weigh neighbours.
  static let weighing = ResampleFilter.allCases.filter { $0 != .nearest }

  /// A small, fast generator, so that the noise is the same everywhere (Steele et al. 2014).
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  static func make(
    _ width: Int, _ height: Int, opaque: Bool = true, pixel: (Int, Int) -> [UInt8]
  ) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let value = pixel(x, y)
          for channel in 0..<4 { bytes[(y * width + x) * 4 + channel] = value[channel] }
        }
      }
      return opaque
    }
  }

  static func noise(_ width: Int, _ height: Int, opaque: Bool = true, seed: UInt64 = 1) throws -> Bitmap {
    var generator = SplitMix(state: seed)
    return try make(width, height, opaque: opaque) { _, _ in
      let bits = generator.next()
      let alpha: UInt8 = opaque ? 255 : [0, 255, UInt8(truncatingIfNeeded: bits >> 24)][Int(bits >> 60) % 3]
      return [
        UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8),
        UInt8(truncatingIfNeeded: bits >> 16), alpha,
      ]
    }
  }

  static func bytes(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }

  static func mirrored(_ bitmap: Bitmap, horizontally: Bool) throws -> Bitmap {
    let source = bytes(bitmap)
    return try make(bitmap.width, bitmap.height, opaque: bitmap.isOpaque) { x, y in
      let column = horizontally ? bitmap.width - 1 - x : x
      let row = horizontally ? y : bitmap.height - 1 - y
      let first = (row * bitmap.width + column) * 4
      return Array(source[first..<(first + 4)])
    }
  }

  static func largestDifference(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return .max }
    return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }

  /// The bytes of a straight picture with colours weighed by alpha.
  static func premultiplied(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    for first in stride(from: 0, to: bytes.count, by: 4) {
      let alpha = Double(bytes[first + 3])
      for channel in 0..<3 {
        result[first + channel] = UInt8((Double(bytes[first + channel]) * alpha / 255).rounded())
      }
    }
    return result
  }
}

/// A resize as the textbook has it: one loop per sum, in double precision, rounded to bytes at the end.
/// Shares nothing with the library but the kernels' published formulas.
enum ReferenceResample {
  static func kernel(_ filter: ResampleFilter, _ distance: Double) -> Double {
    let x = abs(distance)
    func sinc(_ x: Double) -> Double { x == 0 ? 1 : sine(x * .pi) / (x * .pi) }
    switch filter {
    case .lanczos3: return x < 3 ? sinc(x) * sinc(x / 3) : 0
    case .lanczos2: return x < 2 ? sinc(x) * sinc(x / 2) : 0
    case .bicubic:
      // Keys 1981 with a = -1/2.
      if x < 1 { return 1.5 * x * x * x - 2.5 * x * x + 1 }
      return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0
    case .mitchell:
      if x < 1 { return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6 }
      return x < 2 ? (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6 : 0
    case .bilinear: return x < 1 ? 1 - x : 0
    case .box: return abs(x - 0.5) < 1e-9 ? 0.5 : x < 0.5 ? 1 : 0
    case .nearest: return x <= 0.5 ? 1 : 0
    }
  }

  /// A sine by its series, after reduction to -π…π.
  private static func sine(_ x: Double) -> Double {
    let r = x - (x / (2 * .pi)).rounded() * 2 * .pi
    var term = r
    var sum = r
    for n in 1..<20 {
      term *= -r * r / Double((2 * n) * (2 * n + 1))
      sum += term
    }
    return sum
  }

  /// Resizes along one axis: `lines` lines of `length` pixels.
  private static func pass(
    _ source: [Double], length: Int, lines: Int, step: Int, lineStep: Int, start: Double, extent: Double,
    count: Int,
    filter: ResampleFilter, outStep: Int, outLineStep: Int
  ) -> [Double] {
    var result = [Double](repeating: 0, count: lines * count * 4)
    let scale = extent / Double(count)
    let stretch = max(1, scale)
    for output in 0..<count {
      let center = start + (Double(output) + 0.5) * scale
      var weights = (0..<length).map { kernel(filter, (Double($0) + 0.5 - center) / stretch) }
      if scale == 1, center == center.rounded() + 0.5 || center == center.rounded() - 0.5 {
        weights = (0..<length).map { Double($0) + 0.5 == center ? 1 : 0 }
      }
      let sum = weights.reduce(0, +)
      let seen = weights.indices.filter { weights[$0] != 0 }
      for line in 0..<lines {
        for channel in 0..<4 {
          var value = 0.0
          for index in seen {
            value += weights[index] / sum * source[line * lineStep + index * step + channel]
          }
          result[line * outLineStep + output * outStep + channel] = value
        }
      }
    }
    return result
  }

  /// All in double precision, nothing rounded or clamped: four values a pixel in, four out.
  static func exact(
    _ values: [Double], _ from: PixelSize, to size: PixelSize, filter: ResampleFilter
  ) -> [Double] {
    func weights(_ length: Int, _ count: Int) -> [[(index: Int, weight: Double)]] {
      let scale = Double(length) / Double(count)
      let stretch = max(1, scale)
      return (0..<count).map { output in
        let center = (Double(output) + 0.5) * scale
        if scale == 1 { return [(output, 1)] }
        let all = (0..<length).map {
          (index: $0, weight: kernel(filter, (Double($0) + 0.5 - center) / stretch))
        }.filter { $0.weight != 0 }
        let sum = all.reduce(0) { $0 + $1.weight }
        return all.map { ($0.index, $0.weight / sum) }
      }
    }
    let rows = weights(from.height, size.height)
    let columns = weights(from.width, size.width)
    var middle = [Double](repeating: 0, count: from.width * size.height * 4)
    for y in 0..<size.height {
      for (index, weight) in rows[y] {
        for i in 0..<(from.width * 4) {
          middle[y * from.width * 4 + i] += weight * values[index * from.width * 4 + i]
        }
      }
    }
    var result = [Double](repeating: 0, count: size.pixelCount * 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for (index, weight) in columns[x] {
          for c in 0..<4 {
            result[(y * size.width + x) * 4 + c] += weight * middle[(y * from.width + index) * 4 + c]
          }
        }
      }
    }
    return result
  }

  /// The bytes of the result; premultiplied unless the source is opaque.
  static func resample(
    _ bitmap: Bitmap, to size: PixelSize, from region: Bitmap.Region? = nil, filter: ResampleFilter
  ) -> [UInt8] {
    let region = region ?? Bitmap.Region(bitmap.size)
    var bytes = ResamplePictures.bytes(bitmap)
    if !bitmap.isOpaque { bytes = ResamplePictures.premultiplied(bytes) }
    let middle = pass(
      bytes.map { Double($0) }, length: bitmap.height, lines: bitmap.width, step: bitmap.width * 4,
      lineStep: 4, start: region.y,
      extent: region.height, count: size.height, filter: filter, outStep: bitmap.width * 4, outLineStep: 4)
    return pass(
      middle, length: bitmap.width, lines: size.height, step: 4, lineStep: bitmap.width * 4, start: region.x,
      extent: region.width, count: size.width, filter: filter, outStep: 4, outLineStep: size.width * 4
    ).map { UInt8(min(max($0.rounded(), 0), 255)) }
  }
}
