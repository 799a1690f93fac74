import CalotypeSupport
import Glibc

/// A hash of 64 bits that similar pictures share but for a few: the signs of the lowest frequencies of the lightness.
///
/// ```swift
/// let isSame = try PerceptualHash(of: small).distance(to: known) <= 10
/// ```
///
/// Scaling, compression, and small changes of brightness and contrast hardly change it; turning, mirroring and cropping do. The
/// picture is compared at 32×32 pixels, over white; each bit tells whether one of 8×8 cosines is above their median.
public struct PerceptualHash: Hashable, Sendable, CustomStringConvertible {
  /// The bits: the mean first, in the highest place, then row by row.
  public let bits: UInt64

  private static let side = 32
  private static let count = 8

  /// Creates a hash of bits.
  public init(bits: UInt64) { self.bits = bits }

  /// Parses 16 hexadecimal digits; `nil` for any other text.
  public init?(_ text: String) {
    guard text.utf8.count == 16, text.utf8.allSatisfy({ Hex.value(of: $0) != nil }),
      let bits = UInt64(text, radix: 16)
    else { return nil }
    self.bits = bits
  }

  /// Computes the hash of a picture.
  ///
  /// - Parameter bitmap: The picture, upright and in sRGB.
  /// - Throws: ``ImagingError/outOfMemory(byteCount:)``, ``ImagingError/cancelled``.
  public init(of bitmap: Bitmap) throws(ImagingError) {
    let side = Self.side
    let pixels = try bitmap.converted(to: .rgba8).resampled(to: PixelSize(width: side, height: side))
    let light = pixels.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map { first in
        let luma =
          0.299 * Double(bytes[first]) + 0.587 * Double(bytes[first + 1]) + 0.114 * Double(bytes[first + 2])
        return 255 + (luma - 255) * Double(bytes[first + 3]) / 255
      }
    }
    let waves = (0..<Self.count).map { wave in
      (0..<side).map { cos(.pi * Double(wave) * (Double($0) + 0.5) / Double(side)) }
    }
    var factors: [Double] = []
    for down in waves {
      for across in waves {
        var sum = 0.0
        for y in 0..<side {
          var row = 0.0
          for x in 0..<side { row += light[y * side + x] * across[x] }
          sum += row * down[y]
        }
        factors.append(sum)
      }
    }
    let sorted = factors.sorted()
    let median = (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
    // Flat pictures have factors that differ from 0 by rounding alone.
    bits = factors.reduce(0) { $0 << 1 | ($1 - median > 1e-6 ? 1 : 0) }
  }

  /// Returns the number of bits that differ: 0 for equal pictures, about 32 for unrelated ones.
  public func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

  /// The bits as 16 hexadecimal digits.
  public var description: String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
