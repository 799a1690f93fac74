import Glibc

/// A placeholder of 17 to 29 bytes with proportions and transparency: the lowest frequencies of a picture, in the
/// format of [ThumbHash](https://evanw.github.io/thumbhash/).
///
/// Lightness `l` is the mean of red, green and blue; `p` is yellow against blue, `q` red against green.
public struct ThumbHash: Hashable, Sendable {
  /// The hash.
  public let bytes: [UInt8]

  /// The longest side of the pictures that are hashed.
  static let largestSide = 100
  /// The longer side of the decoded picture.
  private static let shownSide = 32.0

  /// Reads a hash.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a number of bytes that does not match the first
  ///   five, and for proportions that no picture has.
  public init(_ bytes: [UInt8]) throws(ImagingError) {
    guard bytes.count >= 5 else {
      throw .invalidParameter(name: "thumbhash", reason: "it has at least 5 bytes, not \(bytes.count)")
    }
    let layout = Layout(bytes)
    guard layout.shorterSide > 0 else {
      throw .invalidParameter(name: "thumbhash", reason: "the shorter side is 0")
    }
    guard bytes.count == layout.byteCount else {
      throw .invalidParameter(
        name: "thumbhash", reason: "this one has \(layout.byteCount) bytes, not \(bytes.count)")
    }
    self.bytes = bytes
  }

  /// The layout of a hash, which its first bytes determine.
  struct Layout {
    let hasAlpha: Bool
    let isLandscape: Bool
    /// The number of cosines along the shorter side, as stored: its length in units of the longer one's ``longerSide``.
    let shorterSide: Int

    /// The number of cosines along the longer side.
    var longerSide: Int { hasAlpha ? 5 : 7 }
    /// The width and height of the picture, in cosines.
    var sides: (x: Int, y: Int) {
      isLandscape ? (longerSide, shorterSide) : (shorterSide, longerSide)
    }
    /// The cosines of the lightness: at least three in each direction.
    var lightness: Grid { Grid(x: max(3, sides.x), y: max(3, sides.y)) }
    /// The offset of the frequencies: five bytes, six with alpha.
    var headerCount: Int { hasAlpha ? 6 : 5 }
    var byteCount: Int {
      let count =
        lightness.indices.count + 2 * Grid.color.indices.count + (hasAlpha ? Grid.alpha.indices.count : 0)
      return headerCount + (count + 1) / 2
    }

    init(hasAlpha: Bool, isLandscape: Bool, shorterSide: Int) {
      self.hasAlpha = hasAlpha
      self.isLandscape = isLandscape
      self.shorterSide = shorterSide
    }

    /// Reads at least five bytes.
    init(_ bytes: [UInt8]) {
      self.init(
        hasAlpha: bytes[2] & 0x80 != 0, isLandscape: bytes[4] & 0x80 != 0, shorterSide: Int(bytes[3] & 7))
    }
  }

  /// The cosines of a channel: a triangle of `x` by `y`, without the mean.
  struct Grid {
    let x: Int
    let y: Int
    /// The cosines of `p` and of `q`.
    static let color = Grid(x: 3, y: 3)
    /// The cosines of alpha.
    static let alpha = Grid(x: 5, y: 5)

    var indices: [(x: Int, y: Int)] {
      (0..<y).flatMap { cy in
        ((cy == 0 ? 1 : 0)..<max(1, x)).filter { $0 * y < x * (y - cy) }.map { (x: $0, y: cy) }
      }
    }
  }

  /// A Boolean value that indicates whether the picture has transparency.
  public var hasAlpha: Bool { Layout(bytes).hasAlpha }

  /// The approximate ratio of the picture's width to its height: from 1/7 to 7.
  public var aspectRatio: Double {
    let sides = Layout(bytes).sides
    return Double(sides.x) / Double(sides.y)
  }

  /// The mean of the picture.
  public var averageColor: PixelColor {
    let color = Self.rgb(means.l, means.p, means.q)
    func byte(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
    return PixelColor(red: byte(color.x), green: byte(color.y), blue: byte(color.z), alpha: byte(means.a))
  }

  private var means: (l: Double, p: Double, q: Double, a: Double) {
    let header = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
    return (
      Double(header & 63) / 63, Double(header >> 6 & 63) / 31.5 - 1, Double(header >> 12 & 63) / 31.5 - 1,
      hasAlpha ? Double(bytes[5] & 15) / 15 : 1
    )
  }

  private static func rgb(_ l: Double, _ p: Double, _ q: Double) -> SIMD3<Double> {
    let blue = l - 2 * p / 3
    let red = (3 * l - blue + q) / 2
    return SIMD3(red, red - q, blue)
  }

  /// Returns the picture of the hash: straight alpha, in sRGB, 32 pixels on the longer side.
  ///
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``.
  public func bitmap() throws(ImagingError) -> Bitmap {
    let layout = Layout(bytes)
    let ratio = aspectRatio
    let width = Int((ratio > 1 ? Self.shownSide : Self.shownSide * ratio).rounded())
    let height = Int((ratio > 1 ? Self.shownSide / ratio : Self.shownSide).rounded())
    let header = UInt32(bytes[3]) | UInt32(bytes[4]) << 8
    var reader = NibbleReader(bytes: bytes[layout.headerCount...])
    var channels = [
      reader.channel(layout.lightness, scale: Double(bytes[2] >> 2 & 31) / 31),
      // The format shows colours a little stronger than they were.
      reader.channel(.color, scale: Double(header >> 3 & 63) / 63 * 1.25),
      reader.channel(.color, scale: Double(header >> 9 & 63) / 63 * 1.25),
    ]
    if layout.hasAlpha { channels.append(reader.channel(.alpha, scale: Double(bytes[5] >> 4) / 15)) }
    let means = means
    func waves(_ length: Int) -> [[Double]] {
      (0..<7).map { wave in
        (0..<length).map { cos(.pi / Double(length) * (Double($0) + 0.5) * Double(wave)) }
      }
    }
    let across = waves(width)
    let down = waves(height)
    return try Bitmap(size: PixelSize(width: width, height: height)) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          var values = SIMD4(means.l, means.p, means.q, means.a)
          for (index, channel) in channels.enumerated() {
            for wave in channel { values[index] += 2 * wave.factor * across[wave.x][x] * down[wave.y][y] }
          }
          let color = Self.rgb(values.x, values.y, values.z)
          for (channel, value) in [color.x, color.y, color.z, values.w].enumerated() {
            // Truncated, not rounded, as by the published decoders.
            pixels[(y * width + x) * 4 + channel] = UInt8(min(max(value, 0), 1) * 255)
          }
        }
      }
      return !layout.hasAlpha
    }
  }
}

/// A reader of factors of four bits, the low half of a byte first.
private struct NibbleReader {
  let bytes: ArraySlice<UInt8>
  private var position = 0

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
  }

  mutating func channel(_ grid: ThumbHash.Grid, scale: Double) -> [(x: Int, y: Int, factor: Double)] {
    grid.indices.map { index in
      let nibble = bytes[bytes.startIndex + position / 2] >> UInt8(position % 2 * 4) & 15
      position += 1
      return (index.x, index.y, (Double(nibble) / 7.5 - 1) * scale)
    }
  }
}
