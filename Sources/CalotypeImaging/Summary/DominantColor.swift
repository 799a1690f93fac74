/// A colour that represents a part of a picture.
public struct DominantColor: Hashable, Sendable, Codable {
  /// The mean of that part; opaque.
  public var color: PixelColor
  /// The share of that part in the visible pixels, from 0 to 1.
  public var share: Double

  /// Creates a dominant colour.
  public init(color: PixelColor, share: Double) {
    self.color = color
    self.share = share
  }
}

extension DominantColor {
  /// The smallest distance of two distinct colours: squared, in levels, weighted by the sensitivity of the eye.
  private static let leastDistance = 600.0

  /// Finds colours by median cuts, and merges those that hardly differ.
  ///
  /// - Throws: ``ImagingError/cancelled``.
  static func all(of small: Bitmap, count: Int) throws(ImagingError) -> [DominantColor] {
    let histogram = PaletteHistogram(visible: small)
    guard !histogram.cells.isEmpty else { return [] }
    let palette = try MedianCut.colors(of: histogram, count: count)
    var parts = [(sum: SIMD4<Double>, weight: Double)](repeating: (.zero, 0), count: palette.count)
    let centers = palette.map { SIMD4(Double($0.red), Double($0.green), Double($0.blue), 0) }
    for cell in histogram.cells {
      let nearest =
        centers.indices.min { distance(centers[$0], cell.mean) < distance(centers[$1], cell.mean) } ?? 0
      parts[nearest].sum += cell.mean * Double(cell.count)
      parts[nearest].weight += Double(cell.count)
    }
    parts = merged(parts.filter { $0.weight > 0 })
    let total = parts.reduce(0) { $0 + $1.weight }
    return parts.map { part in
      let mean = (part.sum / part.weight).rounded(.toNearestOrAwayFromZero)
      return DominantColor(
        color: PixelColor(red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z)),
        share: part.weight / total)
    }.sorted { ($1.share, $0.color.hex) < ($0.share, $1.color.hex) }
  }

  private static func merged(_ parts: [(sum: SIMD4<Double>, weight: Double)]) -> [(
    sum: SIMD4<Double>, weight: Double
  )] {
    var result: [(sum: SIMD4<Double>, weight: Double)] = []
    for part in parts.sorted(by: { $0.weight > $1.weight }) {
      let mean = part.sum / part.weight
      if let near = result.firstIndex(where: { distance($0.sum / $0.weight, mean) < leastDistance }) {
        result[near].sum += part.sum
        result[near].weight += part.weight
      } else {
        result.append(part)
      }
    }
    return result
  }

  private static func distance(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> Double {
    let d = a - b
    return (d * d * SIMD4(0.55, 1, 0.4, 0)).sum()
  }
}

extension PaletteHistogram {
  /// Counts the colours of a small picture in cells of five bits per colour, with each pixel weighted by its alpha.
  init(visible small: Bitmap) {
    var cells: [UInt32: Cell] = [:]
    small.withUnsafeBytes { bytes in
      for first in stride(from: 0, to: bytes.count, by: 4) {
        let alpha = UInt64(bytes[first + 3])
        guard alpha > 0 else { continue }
        let channels = SIMD4(UInt64(bytes[first]), UInt64(bytes[first + 1]), UInt64(bytes[first + 2]), 255)
        let key =
          UInt32(bytes[first] >> 3) << 10 | UInt32(bytes[first + 1] >> 3) << 5 | UInt32(bytes[first + 2] >> 3)
        cells[key, default: Cell()].count += alpha
        cells[key, default: Cell()].sums &+= channels &* SIMD4(repeating: alpha)
      }
    }
    self.init(cells: cells.sorted { $0.key < $1.key }.map(\.value))
  }
}
