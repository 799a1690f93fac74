/// The tone mapping of ITU-R BT.2390 (EETF, 5.4.1): a curve in PQ that leaves dark and middle tones unchanged and
/// compresses highlights so that the peak of the content becomes white.
struct ToneCurve: Sendable {
  /// The luminance of white in cd/m²: that of a diffuse white in pictures of high dynamic range (BT.2408).
  static let white = 203.0
  /// The peak that is assumed if a file states none, in cd/m²: that of BT.2100 HLG, and of most mastering displays.
  static let defaultPeak = 1_000.0

  /// The peak of the content in cd/m².
  let peak: Double
  /// The PQ sample of the peak.
  private let range: Double
  /// White, and the sample where the compression begins, relative to the range.
  private let target: Double, knee: Double

  /// - Parameter peak: The peak of the content in cd/m². It counts as at least white and at most 10,000; `nil` and what
  ///   is no luminance count as ``defaultPeak``.
  init(peak: Double?) {
    let known = peak.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } ?? Self.defaultPeak
    self.peak = min(max(known, Self.white), 10_000)
    range = PQ.encoded(self.peak / 10_000)
    target = PQ.encoded(Self.white / 10_000) / range
    knee = 1.5 * target - 0.5
  }

  /// Returns the luminance to show, relative to white, at most 1.
  ///
  /// - Parameter luminance: The luminance of the content, relative to white.
  func shown(_ luminance: Double) -> Double {
    guard peak > Self.white else { return min(luminance, 1) }
    let sample = min(PQ.encoded(min(luminance * Self.white / 10_000, 1)) / range, 1)
    guard sample > knee else { return luminance }
    let t = (sample - knee) / (1 - knee)
    let (square, cube) = (t * t, t * t * t)
    let mapped =
      (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
      + (3 * square - 2 * cube) * target
    return min(PQ.light(of: mapped * range) * 10_000 / Self.white, 1)
  }
}
