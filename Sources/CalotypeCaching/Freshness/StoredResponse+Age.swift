import CalotypeSupport
public import FoundationEssentials
import HTTPTypes

extension StoredResponse {
  /// How old the response is: the time since the server made it or last confirmed it (RFC 9111 §4.2.3).
  ///
  /// It never becomes less when `now` grows. A clock that was set back to before the response came counts as that moment.
  public func currentAge(at now: Date) -> Duration { .seconds(age(at: HTTPSeconds.of(now))) }

  /// How old the response may be to be fresh (RFC 9111 §4.2.1): what it says, then what `policy` says.
  public func freshnessLifetime(under policy: FreshnessPolicy) -> Duration {
    .seconds(lifetime(under: policy))
  }

  /// All numbers are of years with four digits or fit 32 bits: no sum overflows.
  func age(at now: Int) -> Int {
    let apparentAge = max(0, received - (date ?? received))
    let correctedAge = (ageValue ?? 0) + max(0, received - requested)
    return max(apparentAge, correctedAge) + max(0, now - received)
  }

  func lifetime(under policy: FreshnessPolicy) -> Int {
    guard FreshnessPolicy.isPositive(status) else {
      let lifetime =
        explicitLifetime(in: policy.mode) ?? policy.negativeLifetimes[status].map(DeltaSeconds.of) ?? 0
      return min(lifetime, DeltaSeconds.of(policy.maxNegativeLifetime))
    }
    if let pinned = policy.pinnedLifetime { return DeltaSeconds.of(pinned) }
    let lifetime = explicitLifetime(in: policy.mode) ?? heuristicLifetime(under: policy)
    return min(max(lifetime, DeltaSeconds.of(policy.minLifetime)), DeltaSeconds.of(policy.maxLifetime))
  }

  /// What the response says; `nil` if nothing.
  private func explicitLifetime(in mode: FreshnessPolicy.Mode) -> Int? {
    let control = cacheControl
    if mode == .shared, let shared = control.sharedMaxAge { return shared }
    if let maxAge = control.maxAge { return maxAge }
    if let first = fields[values: .expires].first {
      // Two that differ, and what is no date, such as "0", are long ago.
      guard fields[values: .expires].allSatisfy({ $0 == first }), let expires = HTTPDate(first, now: received)
      else { return 0 }
      return min(max(0, expires.secondsSince1970 - (date ?? received)), CacheControlHeader.longest)
    }
    // Of no meaning in responses by the letter, but who sends it means it.
    if fields[values: .cacheControl].isEmpty, CacheControlHeader.pragmaSaysNoCache(fields) { return 0 }
    return nil
  }

  private func heuristicLifetime(under policy: FreshnessPolicy) -> Int {
    guard let modified = lastModified.flatMap({ HTTPDate($0, now: received) }) else {
      return DeltaSeconds.of(policy.defaultLifetime)
    }
    let unchanged = Double(max(0, (date ?? received) - modified.secondsSince1970))
    let fraction = policy.heuristicFraction >= 0 ? min(policy.heuristicFraction, 1) : 0
    return min(Int(unchanged * fraction), DeltaSeconds.of(policy.maxHeuristicLifetime))
  }

  /// When the server made it, by its own clock.
  private var date: Int? {
    fields[values: .date].first.flatMap { HTTPDate($0, now: received) }?.secondsSince1970
  }

  /// The time it spent in caches before ours. Of a list the first counts; what is no number is passed over (RFC 9111 §5.1).
  private var ageValue: Int? {
    guard let first = fields[values: .age].first?.split(separator: ",", maxSplits: 1).first else {
      return nil
    }
    let trimmed = first.utf8.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
    return DeltaSeconds.read(String(decoding: Array(trimmed), as: UTF8.self))
  }
}
