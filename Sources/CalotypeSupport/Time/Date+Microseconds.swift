package import FoundationEssentials

extension Date {
  /// Microseconds since 1970, clamped to ±2⁶²; 0 for a date that is not a number. Never `Int64.max`.
  package var microseconds: Int64 {
    let value = (timeIntervalSince1970 * 1_000_000).rounded()
    guard !value.isNaN else { return 0 }
    return Int64(exactly: min(max(value, -0x1p62), 0x1p62)) ?? 0
  }

  /// Creates a date from microseconds since 1970.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }
}
