import CalotypeSupport
public import FoundationEssentials
import HTTPTypes

extension StoredResponse {
  /// Returns the age of the response: the time since the server generated or last confirmed it (RFC 9111 §4.2.3).
  ///
  /// The age never decreases as `now` grows. A time before the arrival of the response counts as its arrival.
  public func currentAge(at now: Date) -> Duration { .seconds(age(at: HTTPSeconds.of(now))) }

  /// Returns the age up to which the response is fresh (RFC 9111 §4.2.1): its own lifetime, or else that of `policy`.
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

  /// The lifetime that the response declares; `nil` if it declares none.
  private func explicitLifetime(in mode: FreshnessPolicy.Mode) -> Int? {
    let control = cacheControl
    if mode == .shared, let shared = control.sharedMaxAge { return shared }
    if let maxAge = control.maxAge { return maxAge }
    if let first = fields[values: .expires].first {
      // Contradicting or invalid dates, such as "0", count as past.
      guard fields[values: .expires].allSatisfy({ $0 == first }), let expires = HTTPDate(first, now: received)
      else { return 0 }
      return min(max(0, expires.secondsSince1970 - (date ?? received)), CacheControlHeader.longest)
    }
    // RFC 9111 gives it no meaning in responses, but servers that send it mean `no-cache`.
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

  /// When the server generated the response, by its own clock.
  private var date: Int? {
    fields[values: .date].first.flatMap { HTTPDate($0, now: received) }?.secondsSince1970
  }

  /// The time it spent in other caches (`Age`). The first value of a list counts; an invalid one is ignored (RFC 9111
  /// §5.1).
  private var ageValue: Int? {
    guard let first = fields[values: .age].first?.split(separator: ",", maxSplits: 1).first else {
      return nil
    }
    let trimmed = first.utf8.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()
    return DeltaSeconds.read(String(decoding: Array(trimmed), as: UTF8.self))
  }
}
