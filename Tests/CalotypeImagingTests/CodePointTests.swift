import CPixels
import Glibc
import Testing

@testable import CalotypeImaging

/// Colours by code points, against the formulas of the standards.
@Suite("Code points")
struct CodePointTests {
  @Test("PQ and HLG have the values of BT.2100")
  func transferFunctions() throws {
    // Samples of PQ by luminance in cd/m² (BT.2408, table 1, and the end points).
    for (luminance, sample) in [(0.005, 0.0151), (1, 0.1499), (100, 0.5081), (203, 0.5807), (1000, 0.7518)] {
      #expect(abs(PQ.encoded(luminance / 10_000) - sample) < 0.00006)
      #expect(abs(PQ.light(of: PQ.encoded(luminance / 10_000)) * 10_000 - luminance) < 1e-6 * luminance)
    }
    #expect(PQ.light(of: 0) == 0 && abs(PQ.light(of: 1) - 1) < 1e-12)
    let hlg = try #require(TransferFunction(codePoint: 18))
    #expect(hlg.light(of: 0) == 0 && abs(hlg.light(of: 1) - 1) < 1e-6)
    #expect(abs(hlg.light(of: 0.5) - 1.0 / 12) < 1e-9 && abs(hlg.light(of: 0.75) - 0.26496) < 0.00001)
    // The reference level of 75 % is shown at 203 cd/m².
    #expect(abs(pow(hlg.light(of: 0.75), 1.2) * 1000 - 203) < 0.5)
  }

  @Test("the curves of standard range by code point")
  func standardCurves() throws {
    for code in [1, 2, 6, 13, 14, 15] as [UInt8] { #expect(TransferFunction(codePoint: code) == .sRGB) }
    #expect(TransferFunction(codePoint: 8)?.light(of: 0.3) == 0.3)
    #expect(TransferFunction(codePoint: 4)?.light(of: 0.3) == pow(0.3, 2.2))
    #expect(TransferFunction(codePoint: 5)?.light(of: 0.3) == pow(0.3, 2.8))
    for code in [0, 3, 7, 9, 10, 11, 12, 17, 19, 255] as [UInt8] {
      #expect(TransferFunction(codePoint: code) == nil)
    }
  }

  @Test("the tone curve rises, keeps what is below its knee, and maps the peak to white")
  func toneCurve() {
    for peak in [1, 203, 204, 400, 1000, 4000, 10_000, 1e9] as [Double] {
      let curve = ToneCurve(peak: peak)
      let top = curve.peak / ToneCurve.white
      #expect(abs(curve.shown(top) - 1) < 1e-9 && curve.shown(2 * top) <= 1)
      var last = -1.0
      for step in 0...2000 {
        let luminance = top * pow(Double(step) / 2000, 3)
        let shown = curve.shown(luminance)
        #expect(shown > last && shown <= luminance + 1e-12, "\(peak) \(luminance)")
        last = shown
      }
    }
    // The knee of 1,000 cd/m² lies at 87.
    let curve = ToneCurve(peak: nil)
    #expect(curve.shown(85 / 203) == 85 / 203 && curve.shown(95 / 203) < 94.99 / 203)
    // By hand: 203 cd/m² is a third of the way from the knee to the peak.
    #expect(abs(curve.shown(1) * 203 - 160) < 1.5)
    for peak in [nil, 0, -5, .nan, .infinity] as [Double?] { #expect(ToneCurve(peak: peak).peak == 1000) }
  }

  @Test("matrices are those of the standards, and white stays white")
  func matrices() throws {
    // BT.2087 for BT.2020; CSS Color 4 for Display P3.
    let known: [UInt8: [Double]] = [
      9: [1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187],
      12: [1.2249, -0.2249, 0, -0.0421, 1.0421, 0, -0.0196, -0.0786, 1.0983],
      1: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    ]
    for (code, elements) in known {
      let matrix = try #require(Primaries(codePoint: code)).toSRGB
      for (value, expected) in zip(matrix.elements, elements) { #expect(abs(value - expected) < 0.00007) }
    }
    let xyz = Primaries.sRGB.toXYZ.elements
    for (value, expected) in zip(
      xyz, [0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505])
    {
      #expect(abs(value - expected) < 0.00007)
    }
    for code in [1, 4, 5, 6, 7, 9, 10, 11, 12, 22] as [UInt8] {
      let white = try #require(Primaries(codePoint: code)).toSRGB * [1, 1, 1]
      #expect(white.allSatisfy { abs($0 - 1) < 1e-9 }, "\(code)")
    }
    for code in [0, 2, 3, 8, 13, 21, 23, 255] as [UInt8] { #expect(Primaries(codePoint: code) == nil) }
  }

  @Test("Display P3 by code points is Display P3 by the formula", arguments: [false, true])
  func displayP3(isWide: Bool) throws {
    var stored = try ColorTests.bitmap(ColorTests.colors)
    if isWide { stored = try stored.converted(to: .rgba16) }
    let converted = try stored.converted(from: .cicp(.init(primaries: 12, transfer: 13)))
    #expect(converted.format == stored.format && !converted.isOpaque)
    let samples =
      isWide
      ? ColorTests.samples(converted).map { Double($0) / 65535 }
      : ColorTests.bytes(converted).map { Double($0) / 255 }
    for (index, color) in ColorTests.colors.enumerated() {
      let expected = ColorTests.fromP3(color.prefix(3).map { Double($0) / 255 })
      for channel in 0..<3 {
        #expect(
          abs(samples[4 * index + channel] - expected[channel]) <= (isWide ? 0.0001 : 0.0021), "\(color)")
      }
      #expect(samples[4 * index + 3] == Double(color[3]) / 255)
    }
  }

  @Test("linear light, exponents and narrow range by the formula")
  func curves() throws {
    let grays = (0...255).map { [UInt8($0), UInt8($0), UInt8($0), 255] }
    func levels(_ points: ColorProfile.CodePoints) throws -> [Int] {
      let bytes = ColorTests.bytes(try ColorTests.bitmap(grays).converted(from: .cicp(points)))
      return (0...255).map { Int(bytes[4 * $0]) }
    }
    let linear = try levels(.init(primaries: 1, transfer: 8))
    let gamma = try levels(.init(primaries: 1, transfer: 5))
    let narrow = try levels(.init(primaries: 1, transfer: 13, isFullRange: false))
    for value in 0...255 {
      let sample = Double(value) / 255
      #expect(abs(Double(linear[value]) - 255 * ColorTests.encode(sample)) <= 0.51)
      #expect(abs(Double(gamma[value]) - 255 * ColorTests.encode(pow(sample, 2.8))) <= 0.51)
      #expect(abs(Double(narrow[value]) - min(max(Double(value - 16) / 219 * 255, 0), 255)) <= 0.51)
    }
    // A decoder of YCbCr has expanded the range.
    let expanded = ColorProfile.CodePoints(primaries: 1, transfer: 13, matrix: 1, isFullRange: false)
    #expect(expanded.profile == .sRGB)
    let stored = try ColorTests.bitmap(grays)
    #expect(try stored.converted(from: .cicp(expanded)) == stored)
  }

  @Test("what means sRGB, and what cannot be interpreted, is left alone without memory for pixels")
  func sRGB() throws {
    let stored = try ColorTests.bitmap(ColorTests.colors)
    let pool = PixelPool(byteLimit: 0)
    for (primaries, transfer) in [(1, 13), (1, 1), (2, 2), (1, 6), (3, 13), (255, 0), (2, 255)]
      as [(UInt8, UInt8)]
    {
      let profile = ColorProfile.cicp(.init(primaries: primaries, transfer: transfer))
      #expect(try stored.converted(from: profile, pool: pool) == stored)
      let wide = try stored.converted(to: .rgba16)
      #expect(try wide.converted(from: profile, pool: pool) == wide)
    }
    #expect(pool.statistics.misses == 0)
    #expect(ColorProfile.CodePoints(primaries: 1, transfer: 13).profile == .sRGB)
    let p3 = ColorProfile.CodePoints(primaries: 12, transfer: 13)
    #expect(p3.profile == .cicp(p3))
  }

  @Test("grey pixels follow the grey axis, inks are not RGB")
  func otherPixels() throws {
    let grays = try ColorTests.bitmap((0...255).map { [UInt8($0)] }, format: .gray8, opaque: true)
    let linear = ColorProfile.cicp(.init(primaries: 9, transfer: 8))
    let converted = try grays.converted(from: linear)
    #expect(converted.format == .gray8)
    for value in 0...255 {
      let expected = 255 * ColorTests.encode(Double(value) / 255)
      #expect(abs(Double(ColorTests.bytes(converted)[value]) - expected) <= 1)
    }
    let inks = try ColorTests.bitmap(ColorTests.colors, format: .cmyk8)
    #expect(try inks.converted(from: linear) == inks.converted(to: .rgba8))
  }

  @Test("any code points and any pixels: nothing traps, alpha is copied")
  func anything() throws {
    var random = SystemRandomNumberGenerator()
    var colors = (0..<61).map { _ in (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) } }
    colors += [
      [0, 0, 0, 0], [255, 255, 255, 255], [255, 0, 0, 1], [0, 255, 0, 2], [0, 0, 255, 3], [0, 1, 0, 4],
    ]
    let stored = try ColorTests.bitmap(colors)
    let wide = try stored.converted(to: .rgba16)
    let watch = DecodeLimits.DeadlineChecker(.default)
    let cache = ColorCache(capacity: 2)
    let peaks: [Double?] = [nil, 0, -1, .nan, .infinity, -.infinity, 1e-300, 1e300, 600, 12_000]
    func convert(_ primaries: Int, _ transfer: Int, isWide: Bool) throws {
      let points = ColorProfile.CodePoints(
        primaries: UInt8(primaries), transfer: UInt8(transfer),
        matrix: UInt8.random(in: 0...1, using: &random),
        isFullRange: Bool.random(using: &random), peakLuminance: peaks.randomElement(using: &random) ?? nil)
      let pixels = isWide ? wide : stored
      let result = try pixels.converted(
        from: .cicp(points), keepsGray: true, watch: watch, pool: .shared, cache: cache)
      let alphas = ColorTests.bytes(try result.converted(to: .rgba8))
      for (index, color) in colors.enumerated() { #expect(alphas[4 * index + 3] == color[3], "\(points)") }
    }
    for code in 0...255 {
      for other in [1, 9, 16, 18] { try convert(code, other, isWide: false) }
      try convert(other(code), code, isWide: false)
    }
    for primaries in [0, 1, 4, 9, 10, 11, 12, 22] {
      for transfer in [0, 4, 8, 13, 16, 18] { try convert(primaries, transfer, isWide: true) }
    }
    func other(_ code: Int) -> Int { [1, 4, 9, 10, 12][code % 5] }
  }

  @Test("loops of all levels give the same bytes, also in place and for odd numbers of pixels")
  func levels() throws {
    let count = 391
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<4 * count).map { _ in UInt8.random(in: 0...255, using: &random) }
    let wide = (0..<4 * count).map { _ in UInt16.random(in: 0...65535, using: &random) }
    for transfer in [8, 16, 18] as [UInt8] {
      let points = ColorProfile.CodePoints(primaries: 9, transfer: transfer)
      let (narrow, deep) = (LightTransform(points, isWide: false), LightTransform(points, isWide: true))
      func converted<Sample>(_ samples: [Sample], _ transform: LightTransform, _ level: cpx_level) -> [Sample]
      {
        var samples = samples
        samples.withUnsafeMutableBytes { pixels in
          guard let base = pixels.baseAddress else { return }
          transform.convert(base, to: base, count: count, level: level)
        }
        return samples
      }
      func rounded(_ level: cpx_level) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 4 * count)
        wide.withUnsafeBytes { input in
          result.withUnsafeMutableBytes { output in
            guard let from = input.baseAddress, let to = output.baseAddress else { return }
            deep.round(from, to: to, count: count, level: level)
          }
        }
        return result
      }
      let portable = CPX_LEVEL_PORTABLE
      for level in [CPX_LEVEL_SIMD128, CPX_LEVEL_SIMD256] {
        #expect(converted(bytes, narrow, level) == converted(bytes, narrow, portable))
        #expect(converted(wide, deep, level) == converted(wide, deep, portable))
        #expect(rounded(level) == rounded(portable))
      }
      // Rounded once or twice, a level differs by no more than one.
      for (once, twice) in zip(rounded(portable), converted(wide, deep, portable)) {
        #expect(abs(Double(once) - Double(twice) / 257) <= 0.51)
      }
    }
  }
}
