/// A colour of a picture with its hue, saturation and lightness, each 0 to 1, and its share relative to the largest.
struct SwatchColor {
  let color: PixelColor
  let hue: Double
  let saturation: Double
  let lightness: Double
  var share = 0.0

  init(_ color: PixelColor) {
    self.color = color
    let (red, green, blue) = (Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
    let (most, least) = (max(red, green, blue), min(red, green, blue))
    let spread = most - least
    lightness = (most + least) / 2
    saturation = spread == 0 ? 0 : spread / (1 - abs(2 * lightness - 1))
    switch spread {
    case 0: hue = 0
    case _ where most == red: hue = ((green - blue) / spread + 6).truncatingRemainder(dividingBy: 6) / 6
    case _ where most == green: hue = ((blue - red) / spread + 2) / 6
    default: hue = ((red - green) / spread + 4) / 6
    }
  }

  /// Returns the colours of a small picture: at most 64.
  static func all(of small: Bitmap) throws(ImagingError) -> [SwatchColor] {
    let histogram = PaletteHistogram(visible: small)
    guard !histogram.cells.isEmpty else { return [] }
    let palette = try MedianCut.colors(of: histogram, count: 64)
    let search = palette.map { SIMD3(Double($0.red), Double($0.green), Double($0.blue)) }
    var weights = [Double](repeating: 0, count: palette.count)
    for cell in histogram.cells {
      let mean = SIMD3(cell.mean.x, cell.mean.y, cell.mean.z)
      func distance(_ index: Int) -> Double { ((search[index] - mean) * (search[index] - mean)).sum() }
      if let nearest = search.indices.min(by: { distance($0) < distance($1) }) {
        weights[nearest] += Double(cell.count)
      }
    }
    let largest = weights.max() ?? 1
    return zip(palette, weights).filter { $1 > 0 }.map { color, weight in
      var swatch = SwatchColor(PixelColor(red: color.red, green: color.green, blue: color.blue))
      swatch.share = weight / largest
      return swatch
    }
  }
}

/// The saturation and the lightness of a swatch: those it should have, and those it may have.
struct SwatchTarget {
  let path: any WritableKeyPath<Swatches, PixelColor?> & Sendable
  let isStrong: Bool
  let lightness: Double
  let lightnesses: ClosedRange<Double>

  private var saturation: Double { isStrong ? 1 : 0.3 }
  private var saturations: ClosedRange<Double> { isStrong ? 0.35...1 : 0...0.4 }

  /// All targets; those before choose first.
  static let all: [SwatchTarget] = [
    SwatchTarget(path: \.vibrant, isStrong: true, lightness: 0.5, lightnesses: 0.3...0.7),
    SwatchTarget(path: \.lightVibrant, isStrong: true, lightness: 0.74, lightnesses: 0.55...1),
    SwatchTarget(path: \.darkVibrant, isStrong: true, lightness: 0.26, lightnesses: 0...0.45),
    SwatchTarget(path: \.muted, isStrong: false, lightness: 0.5, lightnesses: 0.3...0.7),
    SwatchTarget(path: \.lightMuted, isStrong: false, lightness: 0.74, lightnesses: 0.55...1),
    SwatchTarget(path: \.darkMuted, isStrong: false, lightness: 0.26, lightnesses: 0...0.45),
  ]

  func accepts(_ color: SwatchColor) -> Bool {
    saturations.contains(color.saturation) && lightnesses.contains(color.lightness)
  }

  /// Returns how well a colour suits: the mean of three measures with their weights.
  func score(_ color: SwatchColor) -> Double {
    (3 * (1 - abs(color.saturation - saturation)) + 6 * (1 - abs(color.lightness - lightness))
      + color.share) / 10
  }

  /// Returns a colour with the same hue, and the lightness, and if need be the saturation, of the target.
  func changed(_ color: PixelColor) -> PixelColor {
    let swatch = SwatchColor(color)
    let saturation = saturations.contains(swatch.saturation) ? swatch.saturation : self.saturation
    let spread = (1 - abs(2 * lightness - 1)) * saturation
    func channel(_ offset: Double) -> UInt8 {
      let place = (swatch.hue * 6 + offset).truncatingRemainder(dividingBy: 6)
      let share = min(max(min(place, 4 - place), 0), 1)
      return UInt8((255 * (lightness - spread / 2 + spread * share)).rounded())
    }
    return PixelColor(red: channel(2), green: channel(0), blue: channel(4))
  }
}
