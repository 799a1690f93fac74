import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Searches for a measured quality, with functions in place of encoders.
@Suite("Searches for a target")
struct TargetSearchTests {
  /// A line from 0 to 100, and two directions: up and down as a whole, and steeper or flatter.
  static let curves = QualityCurves(
    knots: [0, 50, 100], mean: [0, 50, 100], first: [20, 20, 20], second: [-10, 0, 10], deviation: 0.5)

  /// Returns the settings that are tried, and the last value.
  static func run(
    _ curves: QualityCurves, _ settings: [Int], goal: Double, attempts: Int = 3, _ value: (Int) -> Double
  ) -> (tried: [Int], values: [Double]) {
    var search = TargetSearch(curves: curves, settings: settings, goal: goal)
    var (tried, values): ([Int], [Double]) = ([], [])
    for _ in 0..<attempts {
      guard let setting = search.next() else { break }
      tried.append(setting)
      values.append(value(setting))
      search.add(value(setting), at: setting)
    }
    return (tried, values)
  }

  @Test("the first guess is where the mean has the value")
  func first() {
    #expect(Self.run(Self.curves, Array(0...100), goal: 70, attempts: 1) { Double($0) }.tried == [70])
    #expect(Self.run(Self.curves, Array(0...60), goal: 70, attempts: 1) { Double($0) }.tried == [60])
    #expect(Self.run(Self.curves, Array(80...90), goal: 70, attempts: 1) { Double($0) }.tried == [80])
  }

  @Test(
    "a curve of the family is found with the second attempt, or the third",
    arguments: [(20.0, 0.0), (-20, 0), (0, 10), (0, -10), (15, 8), (-15, -8), (15, -8)])
  func family(first: Double, second: Double) {
    let result = Self.run(Self.curves, Array(0...100), goal: 60) { quality in
      let x = Double(quality)
      return x + first + second * (x - 50) / 50
    }
    #expect(result.values.contains { abs($0 - 60) < 1 }, "\(result)")
    if second == 0 { #expect(abs(result.values[1] - 60) < 0.75, "\(result)") }
  }

  @Test("each attempt lies between those that were too low and too high, until there is none left")
  func brackets() {
    for slope in [0.2, 1, 3, 8] {
      for goal in stride(from: 5.0, through: 95, by: 10) {
        let value = { (quality: Int) in 50 + slope * (Double(quality) - 41.5) }
        let tried = Self.run(Self.curves, Array(10...90), goal: goal, attempts: 200, value).tried
        var (low, high) = (9, 91)
        for quality in tried {
          #expect(low < quality && quality < high, "\(tried)")
          if value(quality) < goal { low = quality } else { high = quality }
        }
        #expect(low + 1 == high, "\(slope) \(goal) \(tried)")
      }
    }
  }

  @Test("a curve that falls for a while, as those of drawings do, is no trap")
  func bumps() {
    let value = { (quality: Int) in Double(quality) + (quality % 7 == 3 ? -4 : 0) }
    for goal in [30.0, 45, 60, 80] {
      let values = Self.run(Self.curves, Array(0...100), goal: goal, attempts: 4, value).values
      #expect(values.contains { abs($0 - goal) <= 1 }, "\(goal) \(values)")
    }
  }

  @Test("a curve goes through what was measured, and never falls")
  func pictureCurve() {
    let falling = QualityCurves(
      knots: [0, 50, 100], mean: [0, 50, 40], first: [0, 0, 0], second: [0, 0, 0], deviation: 0.5)
    let curve = PictureCurve(
      curves: falling, measured: [(setting: 40, value: 45), (setting: 20, value: 15)], shares: .zero)
    #expect(curve.values(at: [10, 20, 30, 40, 50, 100]) == [5, 15, 30, 45, 55, 55])
  }

  @Test("shares of both directions: without measurements none, with many those of the curve")
  func shares() {
    #expect(QualityCurves.shares(by: []) == .zero)
    let measured = stride(from: 0.0, through: 100, by: 10).map { setting in
      let point = Self.curves.point(at: setting)
      return Self.curves.measurement(of: point.x + 0.7 * point.y - 0.4 * point.z, at: setting)
    }
    let shares = QualityCurves.shares(by: measured)
    #expect(abs(shares.x - 0.7) < 0.01 && abs(shares.y + 0.4) < 0.01)
    // Beyond the knots, the lines go on.
    #expect(Self.curves.point(at: 120) == SIMD3(120, 20, 14))
    #expect(Self.curves.setting(forMean: 25) == 25 && Self.curves.setting(forMean: 110) == 110)
  }

  @Test("means of all formats and measures rise with the quality")
  func means() {
    for format in [ImageFormat.jpeg, .webp, .avif, .jxl] {
      for measure in [QualityTarget.Measure.ssimulacra2(70), .dssim(0.01)] {
        let curves = QualityCurves.of(format, measure)
        let values = (0...100).map { curves.point(at: Double($0)).x }
        #expect(zip(values, values.dropFirst()).allSatisfy(<), "\(format) \(measure)")
      }
    }
    for measure in [QualityTarget.Measure.ssimulacra2(70), .dssim(0.01)] {
      let (plain, dithered) = QualityCurves.palettes(measure)
      for curves in [plain, dithered] {
        let values = (2...256).map { curves.point(at: Double($0)).x }
        #expect(zip(values, values.dropFirst()).allSatisfy(<), "\(measure)")
      }
    }
  }

  #if AVIF
  @Test("qualities of AVIF that have the same level are tried once")
  func levels() {
    let qualities = CoderRegistry.qualities(.avif, in: 30...95)
    let levels = qualities.map(AVIFQuality.level)
    #expect(Set(levels).count == levels.count && qualities.first == 30)
    #expect(Set(levels) == Set((30...95).map(AVIFQuality.level)))
    #expect(CoderRegistry.qualities(.webp, in: 30...95) == Array(30...95))
  }
  #endif

  @Test(
    "the choice: the smallest of the good ones, otherwise the best; the search ends within 0.8 of the tolerance"
  )
  func choices() {
    func choice(_ files: [(Int, Double)]) -> (file: Int?, isClose: Bool) {
      var choice = TargetChoice<Int>(.target(.ssimulacra2(70)))
      for (size, score) in files { choice.add(size, byteCount: size, measured: score) }
      return (choice.file, choice.isClose)
    }
    #expect(choice([]) == (nil, false))
    #expect(choice([(50, 60), (40, 65)]) == (40, false))
    #expect(choice([(90, 80), (80, 75), (70, 68)]) == (80, false))
    #expect(choice([(80, 69.1), (90, 80)]) == (80, false))
    #expect(choice([(90, 80), (80, 70.7)]) == (80, true))
    var dissimilarity = TargetChoice<Int>(.target(.dssim(0.01)))
    dissimilarity.add(1, byteCount: 1, measured: 0.02)
    dissimilarity.add(2, byteCount: 2, measured: 0.015)
    #expect(dissimilarity.file == 2 && !dissimilarity.isClose)
    dissimilarity.add(3, byteCount: 3, measured: 0.0102)
    #expect(dissimilarity.file == 3 && dissimilarity.isClose)
    // A better file that is larger is not preferred to a good one.
    dissimilarity.add(4, byteCount: 4, measured: 0.008)
    #expect(dissimilarity.file == 3)
  }
}
