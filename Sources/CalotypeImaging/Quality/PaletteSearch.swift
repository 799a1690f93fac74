import Glibc

/// A search for the palette with which a picture has a wanted value of a measure: as many colours as needed, and errors spread over
/// neighbouring pixels only where the most colours do not suffice, because noise takes more bytes than colours.
struct PaletteSearch {
  /// A palette to try.
  struct Setting: Hashable {
    var colors: Int
    var dithers: Bool
  }

  private let plain: QualityCurves
  private let dithered: QualityCurves
  private let detail: QualityCurves.Measurement
  private let most: Int
  private let mayDither: Bool
  private let goal: Double
  private let tolerance: Double
  private var tried: [(setting: Setting, value: Double)] = []

  /// - Parameters:
  ///   - measure: The measure.
  ///   - detail: The logarithm of the number of frequent colours, by ``Bitmap/colorDetail()``.
  ///   - most: The largest number of colours.
  ///   - mayDither: Whether errors may be spread.
  ///   - goal: The wanted value, on the scale of ``QualityTarget/Measure/level(of:)``.
  ///   - tolerance: The value below the goal that suffices, on the same scale, as a difference.
  init(
    _ measure: QualityTarget.Measure, detail: Double, most: Int, mayDither: Bool, goal: Double,
    tolerance: Double
  ) {
    (plain, dithered) = QualityCurves.palettes(measure)
    self.detail = QualityCurves.paletteDetail(detail, measure)
    (self.most, self.mayDither, self.goal, self.tolerance) = (most, mayDither, goal, tolerance)
  }

  /// Adds what was measured with a palette.
  mutating func add(_ value: Double, with setting: Setting) { tried.append((setting, value)) }

  /// Returns the next palette to try; `nil` if there is none between those that were tried.
  func next() -> Setting? {
    let shares = QualityCurves.shares(
      by: [detail]
        + tried.map { each in
          curves(each.setting.dithers).measurement(of: each.value, at: Double(each.setting.colors))
        })
    let numbers = Array(2...most)
    func curve(dithers: Bool) -> PictureCurve {
      PictureCurve(
        curves: curves(dithers),
        measured: tried.filter { $0.setting.dithers == dithers }
          .map { (setting: $0.setting.colors, value: $0.value) },
        shares: shares)
    }
    let even = curve(dithers: false)
    let suffices = tried.contains { !$0.setting.dithers && $0.value >= goal - tolerance }
    let highest = even.values(at: numbers).last ?? 0
    if mayDither, !suffices, highest < goal - tolerance / 2,
      let colors = TargetSearch.nearest(to: goal, on: curve(dithers: true), among: numbers)
    {
      return Setting(colors: colors, dithers: true)
    }
    return TargetSearch.nearest(to: goal, on: even, among: numbers)
      .map { Setting(colors: $0, dithers: false) }
  }

  private func curves(_ dithers: Bool) -> QualityCurves { dithers ? dithered : plain }
}

extension Bitmap {
  /// Returns the logarithm to base 2 of the number of frequent colours of an RGBA8 picture: those of 5 bits a channel that more than
  /// one of 4096 visible pixels have. It tells how many colours a palette needs.
  func colorDetail() -> Double {
    var counts = [UInt32](repeating: 0, count: 1 << 15)
    withUnsafeBytes { bytes in
      for y in 0..<height {
        for at in stride(from: y * bytesPerRow, to: y * bytesPerRow + 4 * width, by: 4)
        where bytes[at + 3] > 0 {
          counts[Int(bytes[at] >> 3) << 10 | Int(bytes[at + 1] >> 3) << 5 | Int(bytes[at + 2] >> 3)] += 1
        }
      }
    }
    let least = counts.reduce(0) { $0 + Int($1) } / 4096
    return log2(Double(max(1, counts.count { Int($0) > least })))
  }
}
