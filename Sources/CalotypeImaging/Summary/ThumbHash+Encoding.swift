import Glibc

extension ThumbHash {
  /// A channel as cosines: its mean, and the other factors from -`scale` to `scale`.
  private struct Channel {
    var mean = 0.0
    var factors: [Double] = []
    var scale = 0.0

    /// The factors, from 0 to 1.
    var normalised: [Double] { scale > 0 ? factors.map { 0.5 + 0.5 / scale * $0 } : factors }
  }

  /// Computes the hash of a picture.
  ///
  /// Pictures larger than 100×100 are shrunk first.
  ///
  /// - Parameter bitmap: The picture, upright and in sRGB.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public init(of bitmap: Bitmap) throws(ImagingError) {
    let small = try bitmap.converted(to: .rgba8).shrunkForFacts()
    let pixels = Self.channels(of: small)
    let hasAlpha = pixels.contains { $0.w < 1 }
    let longer = max(small.width, small.height)
    let limit = hasAlpha ? 5.0 : 7.0
    let isLandscape = small.width > small.height
    let shorter = max(1, Int((limit * Double(min(small.width, small.height)) / Double(longer)).rounded()))
    let layout = Layout(hasAlpha: hasAlpha, isLandscape: isLandscape, shorterSide: shorter)
    var channels: [Channel] = []
    let grids = [layout.lightness, .color, .color] + (hasAlpha ? [.alpha] : [])
    for (index, grid) in grids.enumerated() {
      if Task.isCancelled { throw .cancelled }
      channels.append(Self.channel(pixels.map { $0[index] }, small.size, grid))
    }
    try self.init(Self.bytes(of: channels, layout))
  }

  /// Returns lightness, yellow against blue, red against green, and alpha of each pixel. Transparent pixels have the
  /// mean colour of the others.
  private static func channels(of small: Bitmap) -> [SIMD4<Double>] {
    small.withUnsafeBytes { bytes in
      let pixels = stride(from: 0, to: bytes.count, by: 4).map { (first: Int) -> SIMD4<Double> in
        let pixel = SIMD4<UInt8>(bytes[first], bytes[first + 1], bytes[first + 2], bytes[first + 3])
        return SIMD4<Double>(pixel) / 255
      }
      let visible = pixels.reduce(0) { $0 + $1.w }
      let mean = visible > 0 ? pixels.reduce(SIMD4<Double>.zero) { $0 + $1 * $1.w } / visible : .zero
      return pixels.map { (pixel: SIMD4<Double>) -> SIMD4<Double> in
        let color = mean * (1 - pixel.w) + pixel * pixel.w
        return SIMD4(
          (color.x + color.y + color.z) / 3, (color.x + color.y) / 2 - color.z, color.x - color.y, pixel.w)
      }
    }
  }

  private static func channel(_ values: [Double], _ size: PixelSize, _ grid: Grid) -> Channel {
    func waves(_ count: Int, _ length: Int) -> [[Double]] {
      (0..<count).map { wave in
        (0..<length).map { cos(.pi / Double(length) * Double(wave) * (Double($0) + 0.5)) }
      }
    }
    let across = waves(grid.x, size.width)
    let down = waves(grid.y, size.height)
    /// The sums along the rows, for each horizontal cosine.
    let rows = across.map { wave in
      (0..<size.height).map { y in
        (0..<size.width).reduce(0) { $0 + values[y * size.width + $1] * wave[$1] }
      }
    }
    func factor(_ x: Int, _ y: Int) -> Double {
      let sum = (0..<size.height).reduce(0) { $0 + rows[x][$1] * down[y][$1] } / Double(size.pixelCount)
      // A rounding error in a sum that should be 0 would decide between two levels.
      return abs(sum) < 1e-9 ? 0 : sum
    }
    var channel = Channel(mean: factor(0, 0))
    channel.factors = grid.indices.map { factor($0.x, $0.y) }
    channel.scale = channel.factors.reduce(0) { max($0, abs($1)) }
    return channel
  }

  private static func bytes(of channels: [Channel], _ layout: Layout) -> [UInt8] {
    func bits(_ value: Double, most: UInt32) -> UInt32 {
      UInt32(min(max(value.rounded(), 0), Double(most)))
    }
    let (l, p, q) = (channels[0], channels[1], channels[2])
    let first =
      bits(63 * l.mean, most: 63) | bits(31.5 + 31.5 * p.mean, most: 63) << 6
      | bits(31.5 + 31.5 * q.mean, most: 63) << 12 | bits(31 * l.scale, most: 31) << 18
      | (layout.hasAlpha ? 1 << 23 : 0)
    let second =
      UInt32(layout.shorterSide) | bits(63 * p.scale, most: 63) << 3 | bits(63 * q.scale, most: 63) << 9
      | (layout.isLandscape ? 1 << 15 : 0)
    var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8(truncatingIfNeeded: $0) }
    if layout.hasAlpha {
      let alpha = channels[3]
      bytes.append(UInt8(bits(15 * alpha.mean, most: 15) | bits(15 * alpha.scale, most: 15) << 4))
    }
    let nibbles = channels.flatMap { $0.normalised.map { UInt8(bits(15 * $0, most: 15)) } }
    for index in stride(from: 0, to: nibbles.count, by: 2) {
      bytes.append(nibbles[index] | (index + 1 < nibbles.count ? nibbles[index + 1] << 4 : 0))
    }
    return bytes
  }
}
