/// The response times of the origins, and the second requests that may still be sent. Pure: the caller passes the times.
struct HedgeTable {
  /// The most origins to remember. Another one replaces that whose last response is the oldest.
  static let maxOrigins = 256
  /// The parts of a second request in which requests earn it: whole numbers, so that no rounding accumulates.
  private static let whole = 1_000_000

  private struct Origin {
    var times = RecentTimes()
    /// The number of the last response.
    var last = 0
  }

  private let policy: HedgingPolicy
  private let earned: Int
  private let most: Int
  private var saved = 0
  private var responses = 0
  private var origins: [String: Origin] = [:]

  init(policy: HedgingPolicy) {
    self.policy = policy
    // Not true of NaN.
    let share = policy.share > 0 ? min(policy.share, 1) : 0
    earned = Int(share * Double(Self.whole))
    most = max(1, min(policy.burst, 1_000_000)) * Self.whole
  }

  /// The number of remembered origins.
  var count: Int { origins.count }

  /// A first request is sent. Returns how long to wait for its response before a second one; `nil` if the origin is not
  /// known well enough.
  mutating func began(_ origin: String) -> Duration? {
    saved = min(saved + earned, most)
    guard let times = origins[origin]?.times, times.count >= max(1, policy.minimumSamples) else { return nil }
    return times.percentile95.map { max($0, policy.minimumDelay, .zero) }
  }

  /// Takes a second request out of the savings. Returns `false` if there is none.
  mutating func spend() -> Bool {
    guard saved >= Self.whole else { return false }
    saved -= Self.whole
    return true
  }

  /// Puts back a second request that the transport has not sent.
  mutating func refund() {
    saved = min(saved + Self.whole, most)
  }

  /// A response arrived after `time`.
  mutating func answered(_ origin: String, after time: Duration) {
    responses += 1
    origins[origin, default: Origin()].times.add(time)
    origins[origin]?.last = responses
    if origins.count > Self.maxOrigins, let oldest = origins.min(by: { $0.value.last < $1.value.last }) {
      origins[oldest.key] = nil
    }
  }
}
