import Glibc

/// A placeholder of 6 to 166 letters: the lowest frequencies of a picture in linear light, in the format of
/// [BlurHash](https://github.com/woltapp/blurhash).
///
/// ```swift
/// let placeholder = try BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj").bitmap(size: PixelSize(width: 32, height: 32))
/// ```
public struct BlurHash: Hashable, Sendable, CustomStringConvertible {
  /// The hash.
  public let text: String
  /// The number of horizontal cosines, 1 to 9.
  public let componentsX: Int
  /// The number of vertical cosines, 1 to 9.
  public let componentsY: Int
  /// Red, green and blue of each component in linear light, row by row. The first is the mean.
  let factors: [SIMD3<Double>]

  /// The hash.
  public var description: String { text }

  private static let name = "blurhash"
  /// The longest side of ``bitmap(size:punch:)``, in pixels.
  private static let longestSide = 16_384
  static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)
  private static let values: [UInt8: Int] = Dictionary(
    uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })

  /// Parses a hash.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for letters that are not digits of base 83, for a
  ///   length that does not match the number of components, and for values that no picture has.
  public init(_ text: String) throws(ImagingError) {
    var numbers: [Int] = []
    // A hash has at most 166 letters: longer input is not even read.
    for letter in text.utf8.prefix(167) {
      guard let value = Self.values[letter] else {
        throw .invalidParameter(
          name: Self.name, reason: "letter \(numbers.count + 1) is not a digit of base 83")
      }
      numbers.append(value)
    }
    guard let flag = numbers.first, flag < 81 else {
      throw .invalidParameter(name: Self.name, reason: "it does not begin with a number of components")
    }
    let (x, y) = (flag % 9 + 1, flag / 9 + 1)
    guard numbers.count == 4 + 2 * x * y else {
      throw .invalidParameter(
        name: Self.name,
        reason:
          "\(x)×\(y) components take \(4 + 2 * x * y) letters, there are \(numbers.count == 167 ? "more" : "\(numbers.count)")"
      )
    }
    func number(_ range: Range<Int>) -> Int { numbers[range].reduce(0) { $0 * 83 + $1 } }
    let mean = number(2..<6)
    guard mean < 1 << 24 else { throw .invalidParameter(name: Self.name, reason: "the mean is not a colour") }
    let scale = Double(numbers[1] + 1) / 166
    var factors = [SIMD3(SRGB.linear(mean >> 16), SRGB.linear(mean >> 8 & 255), SRGB.linear(mean & 255))]
    for index in 1..<(x * y) {
      let packed = number((4 + 2 * index)..<(6 + 2 * index))
      guard packed < 19 * 19 * 19 else {
        throw .invalidParameter(name: Self.name, reason: "component \(index + 1) is out of range")
      }
      let quantised =
        SIMD3(Double(packed / 361 - 9), Double(packed / 19 % 19 - 9), Double(packed % 19 - 9)) / 9
      factors.append(
        SIMD3(Self.square(quantised.x), Self.square(quantised.y), Self.square(quantised.z)) * scale)
    }
    self.text = text
    componentsX = x
    componentsY = y
    self.factors = factors
  }

  /// Returns x², with the sign of x.
  private static func square(_ x: Double) -> Double { x < 0 ? -x * x : x * x }

  /// The mean colour of the picture.
  public var averageColor: PixelColor {
    PixelColor(
      red: SRGB.encoded(factors[0].x), green: SRGB.encoded(factors[0].y), blue: SRGB.encoded(factors[0].z))
  }

  /// Returns the picture of the hash: opaque, in sRGB.
  ///
  /// - Parameters:
  ///   - size: The size of the picture, which is smooth, so that a small one can be enlarged.
  ///   - punch: A factor for the contrast, from 0 to 100.
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for an empty size, a side of more than 16,384 pixels, or
  ///   an invalid punch; ``ImagingError/outOfMemory(byteCount:)``; ``ImagingError/cancelled``.
  public func bitmap(size: PixelSize, punch: Double = 1) throws(ImagingError) -> Bitmap {
    try punch.require(in: 0...100, "punch", of: Self.name)
    let sides = 1...Self.longestSide
    guard sides ~= size.width, sides ~= size.height else {
      throw .invalidParameter(
        name: "size", reason: "the sides of a placeholder are 1 to \(Self.longestSide), not \(size)")
    }
    let across = Self.waves(componentsX, size.width)
    let down = Self.waves(componentsY, size.height)
    return try Bitmap(size: size) { bytes throws(ImagingError) in
      for y in 0..<size.height {
        // The partial sums of this row: one factor for each horizontal cosine.
        var row = [SIMD3<Double>](repeating: .zero, count: componentsX)
        for (index, factor) in factors.enumerated() {
          row[index % componentsX] += factor * (index == 0 ? 1 : punch) * down[index / componentsX][y]
        }
        for x in 0..<size.width {
          if x % 16384 == 0, Task.isCancelled { throw .cancelled }
          var color = row[0]
          for index in 1..<max(1, componentsX) {
            color += row[index] * across[index][x]
          }
          let first = (y * size.width + x) * 4
          for channel in 0..<3 { bytes[first + channel] = SRGB.encoded(color[channel]) }
          bytes[first + 3] = 255
        }
      }
      return true
    }
  }

  /// Returns the cosine of each component along an axis at each pixel.
  static func waves(_ components: Int, _ length: Int) -> [[Double]] {
    (0..<components).map { i in (0..<length).map { cos(.pi * Double(i) * Double($0) / Double(length)) } }
  }
}
