/// Failures that are remembered, so that a source which fails is not asked for again at once. A pure value.
///
/// Times are durations since any fixed moment.
///
/// ```swift
/// if let known = failures.failure(for: source, at: now) { throw known }
/// // After a failed load:
/// failures.record(failure, for: source, at: now, using: &random)
/// ```
public struct NegativeResults: Sendable {
  private struct Entry: Sendable {
    var failure: Failure
    var until: Duration
    /// The number of failures in a row.
    var attempts: Int
    var stamp: Int
  }

  /// The policy.
  public let policy: NegativePolicy
  private var entries: [String: Entry] = [:]
  /// Keys in the order of their last records.
  private var order: [(key: String, stamp: Int)] = []
  private var first = 0
  private var stamp = 0

  /// Creates a table without entries.
  public init(policy: NegativePolicy = NegativePolicy()) {
    self.policy = policy
  }

  /// The number of remembered failures, among them those that are over but whose number of attempts still counts.
  public var count: Int { entries.count }

  /// Returns a remembered failure with the time that is left as its ``Failure/retryAfter``; `nil` if the source may be asked for.
  public func failure(for key: String, at now: Duration) -> Failure? {
    guard let entry = entries[key], entry.until > now else { return nil }
    var failure = entry.failure
    failure.retryAfter = entry.until - now
    return failure
  }

  /// Remembers a failure, if it is one that is remembered.
  ///
  /// - Parameters:
  ///   - key: The identity of the source, at most 4 KiB. Longer ones are not remembered.
  ///   - random: The source of the jitter.
  /// - Returns: The duration for which it is remembered; `nil` for not at all.
  @discardableResult public mutating func record(
    _ failure: Failure, for key: String, at now: Duration, using random: inout some RandomNumberGenerator
  ) -> Duration? {
    let kind = NegativePolicy.kind(of: failure)
    guard kind != .none, key.utf8.count <= 4096, policy.capacity > 0 else { return nil }
    // Failures long ago do not count: twice the longest delay.
    let old = entries[key].flatMap { now - $0.until < policy.longestDelay * 2 ? $0 : nil }
    let attempts = kind == .passing ? min((old?.attempts ?? 0) + 1, 1000) : 0
    var duration =
      kind == .missing
      ? policy.missing : policy.delay(attempt: attempts, jitter: .random(in: 0..<1, using: &random))
    if let retryAfter = failure.retryAfter {
      duration = max(duration, min(retryAfter, policy.longestRetryAfter))
    }
    stamp += 1
    entries[key] = Entry(failure: failure, until: now + duration, attempts: attempts, stamp: stamp)
    order.append((key, stamp))
    evict()
    return duration
  }

  /// Forgets the failures of a source, because it was loaded, or purged.
  public mutating func forget(_ key: String) {
    entries[key] = nil
    evict()
  }

  /// Forgets all failures.
  public mutating func forgetAll() {
    entries = [:]
    order = []
    first = 0
  }

  private mutating func evict() {
    while entries.count > policy.capacity, first < order.count {
      let oldest = order[first]
      first += 1
      if entries[oldest.key]?.stamp == oldest.stamp { entries[oldest.key] = nil }
    }
    guard order.count > 2 * entries.count + 64 else { return }
    order = order[first...].filter { entries[$0.key]?.stamp == $0.stamp }
    first = 0
  }
}
