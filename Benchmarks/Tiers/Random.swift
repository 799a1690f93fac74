import Glibc

/// Random numbers that are the same for the same seed: SplitMix64.
struct Random {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// From 0 to less than 1.
  mutating func unit() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }

  /// Exponentially distributed, with a rate.
  mutating func exponential(_ rate: Double) -> Double { -log(1 - unit()) / rate }

  /// Log-normally distributed, with a median and a 99th percentile.
  mutating func logNormal(_ latency: Latency) -> Double {
    let normal = sqrt(-2 * log(1 - unit())) * cos(2 * .pi * unit())
    return latency.p50 * exp(normal * log(latency.p99 / latency.p50) / 2.326)
  }
}

/// A distribution of times, in seconds.
struct Latency: Hashable {
  var p50: Double
  var p99: Double

  static let redis = Latency(p50: 0.000_5, p99: 0.003)
  static let get = Latency(p50: 0.025, p99: 0.15)
  static let put = Latency(p50: 0.04, p99: 0.25)
}
