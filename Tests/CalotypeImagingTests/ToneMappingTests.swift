import Glibc
import Testing

@testable import CalotypeImaging

/// Pixels of PQ and HLG in sRGB, against the formulas of BT.2100, BT.2390 and BT.2087 written down here.
@Suite("Tone mapping")
struct ToneMappingTests {
  static func pq(_ sample: Double) -> Double {
    let power = pow(sample, 32.0 / 2523)
    return 10_000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 16384.0 / 2610)
  }

  static func pqSample(_ luminance: Double) -> Double {
    let power = pow(luminance / 10_000, 2610.0 / 16384)
    return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 2523.0 / 32)
  }

  /// The light of a pixel of BT.2020 in cd/m².
  static func light(_ rgb: [Double], isHLG: Bool) -> [Double] {
    guard isHLG else { return rgb.map(pq) }
    let scene = rgb.map { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - 0.55991073) / 0.17883277) + 0.28466892) / 12 }
    let luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
    return scene.map { luminance > 0 ? 1000 * pow(luminance, 0.2) * $0 : 0 }
  }

  static func shown(_ luminance: Double, peak: Double) -> Double {
    let top = pqSample(peak)
    let (sample, white) = (min(pqSample(luminance) / top, 1), pqSample(203) / top)
    let knee = 1.5 * white - 0.5
    if sample < knee { return luminance }
    let t = (sample - knee) / (1 - knee)
    let spline =
      (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
      + (3 * t * t - 2 * t * t * t) * white
    return pq(spline * top)
  }

  /// Light in sRGB, before and after it loses chroma.
  static func mapped(_ rgb: [Double], isHLG: Bool, peak: Double) -> (wide: [Double], clipped: [Double]) {
    let l = light(rgb, isHLG: isHLG)
    let converted = [
      1.660491 * l[0] - 0.587641 * l[1] - 0.072850 * l[2],
      -0.124550 * l[0] + 1.132900 * l[1] - 0.008349 * l[2],
      -0.018151 * l[0] - 0.100579 * l[1] + 1.118730 * l[2],
    ]
    let most = max(converted[0], converted[1], converted[2])
    let factor = most > 0 ? shown(most, peak: peak) / most / 203 : 0
    let wide = converted.map { $0 * factor }
    let gray = luminance(wide)
    var chroma = 1.0
    for sample in wide where sample < 0 { chroma = min(chroma, gray / (gray - sample)) }
    return (wide, wide.map { gray + chroma * ($0 - gray) })
  }

  static func luminance(_ light: [Double]) -> Double {
    0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
  }

  static let colors: [[UInt16]] = {
    let steps: [UInt16] = [0, 300, 9_000, 20_011, 33_000, 38_000, 45_555, 49_300, 58_000, 65_535]
    return steps.flatMap { red in steps.flatMap { green in steps.map { [red, green, $0, red ^ green] } } }
  }()

  static func bitmap(_ colors: [[UInt16]]) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: colors.count, height: 1), format: .rgba16) { target in
      colors.flatMap(\.self).withUnsafeBytes { target.copyMemory(from: $0) }
      return false
    }
  }

  @Test("pixels by the formula", arguments: [(false, nil), (false, 4000), (false, 400), (true, nil)])
  func formula(isHLG: Bool, peak: Double?) throws {
    let points = ColorProfile.CodePoints(primaries: 9, transfer: isHLG ? 18 : 16, peakLuminance: peak)
    let stored = try Self.bitmap(Self.colors)
    let deep = ColorTests.samples(try stored.converted(from: .cicp(points)))
    let rounded = ColorTests.bytes(try stored.rounded(from: points))
    let shallow = ColorTests.bytes(try stored.converted(to: .rgba8).converted(from: .cicp(points)))
    for (index, color) in Self.colors.enumerated() {
      func expected(_ rgb: [Double]) -> [Double] {
        Self.mapped(rgb, isHLG: isHLG, peak: peak ?? 1000).clipped.map(ColorTests.encode)
      }
      let wide = expected(color.prefix(3).map { Double($0) / 65535 })
      let narrow = expected(color.prefix(3).map { Double((Int($0) * 255 + 32895) >> 16) / 255 })
      for channel in 0..<3 {
        let place = 4 * index + channel
        #expect(abs(Double(deep[place]) / 65535 - wide[channel]) < 0.0008, "\(color)")
        #expect(abs(Double(rounded[place]) - 255 * wide[channel]) < 0.7, "\(color)")
        #expect(abs(Double(shallow[place]) - 255 * narrow[channel]) < 0.7, "\(color)")
      }
      #expect(deep[4 * index + 3] == color[3])
    }
  }

  @Test("the peak is white, and black is black", arguments: [16, 18] as [UInt8])
  func ends(transfer: UInt8) throws {
    for peak in [nil, 500, 1000] as [Double?] {
      let points = ColorProfile.CodePoints(primaries: 12, transfer: transfer, peakLuminance: peak)
      let top = transfer == 16 ? UInt16((Self.pqSample(peak ?? 1000) * 65535).rounded()) : 65535
      let converted = try Self.bitmap([[0, 0, 0, 0], [top, top, top, 9]]).converted(from: .cicp(points))
      let samples = ColorTests.samples(converted)
      #expect(samples[0..<3] == [0, 0, 0] && samples[4..<7].allSatisfy { $0 >= 65_500 }, "\(samples)")
    }
  }

  @Test("colours outside sRGB keep hue and luminance", arguments: [false, true])
  func hue(isHLG: Bool) throws {
    let points = ColorProfile.CodePoints(primaries: 9, transfer: isHLG ? 18 : 16)
    let samples = ColorTests.samples(try Self.bitmap(Self.colors).converted(from: .cicp(points)))
    var outside = 0
    for (index, color) in Self.colors.enumerated() {
      let wide = Self.mapped(color.prefix(3).map { Double($0) / 65535 }, isHLG: isHLG, peak: 1000).wide
      let gray = Self.luminance(wide)
      let shown = (0..<3).map { ColorTests.decode(Double(samples[4 * index + $0]) / 65535) }
      guard gray > 0.01, wide.contains(where: { $0 < -0.01 }) else { continue }
      outside += 1
      #expect(abs(Self.luminance(shown) - gray) < 0.001, "\(color)")
      // Both differ from grey in the same direction.
      let (before, after) = (wide.map { $0 - gray }, shown.map { $0 - gray })
      func length(_ vector: [Double]) -> Double { sqrt(vector.reduce(0) { $0 + $1 * $1 }) }
      guard length(after) > 0.02 else { continue }
      let cosine = zip(before, after).reduce(0) { $0 + $1.0 * $1.1 } / length(before) / length(after)
      #expect(cosine > 0.999, "\(color)")
    }
    #expect(outside > 100)
  }

  @Test("a ramp of 16 bits has no bands", arguments: [16, 18] as [UInt8])
  func ramp(transfer: UInt8) throws {
    let ramp = try Self.bitmap((0...65535).map { [UInt16($0), UInt16($0), UInt16($0), 65535] })
    let points = ColorProfile.CodePoints(primaries: 9, transfer: transfer)
    let rounded = ColorTests.bytes(try ramp.rounded(from: points))
    let deep = ColorTests.samples(try ramp.converted(from: .cicp(points)))
    var levels: Set<UInt8> = []
    for value in 1...65535 {
      let step = Int(rounded[4 * value]) - Int(rounded[4 * value - 4])
      let fine = Int(deep[4 * value]) - Int(deep[4 * value - 4])
      // Single precision may be off by one level of 16 bits.
      guard step < 0 || step > 1 || fine < -1 || fine > 24 else {
        levels.insert(rounded[4 * value])
        continue
      }
      Issue.record("a step of \(step) and \(fine) at \(value)")
    }
    #expect(levels.count == 256)
  }
}
