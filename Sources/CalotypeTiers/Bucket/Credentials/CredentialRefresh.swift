import FoundationEssentials

/// Decides when keys are fetched: before they expire, one fetch at a time, and not again at once after a failure. Pure.
struct CredentialRefresh: Sendable {
  /// The step of a call that needs keys.
  enum Step: Equatable, Sendable {
    /// Use these.
    case use(BucketKeys)
    /// Use these, and fetch others meanwhile.
    case useAndFetch(BucketKeys)
    /// Wait for the fetch in progress.
    case wait
    /// Fetch, and wait for it.
    case fetch
    /// The last fetch failed, and it is too early for another.
    case fail(BucketError)
  }

  /// Keys are fetched anew this long before they expire.
  static let margin: TimeInterval = 300
  /// Keys that expire sooner than this are not used: a request could arrive too late.
  static let reserve: TimeInterval = 10
  /// The time between a failed fetch and the next.
  static let pause: TimeInterval = 5

  private var keys: BucketKeys?
  private(set) var isFetching = false
  private var failure: (error: BucketError, time: Date)?
  /// The server refused them.
  private var rejected: BucketKeys?

  /// A caller needs keys. After ``Step/fetch`` and ``Step/useAndFetch(_:)``, a fetch must be started.
  mutating func next(now: Date) -> Step {
    let mayFetch = !isFetching && (failure.map { abs(now.timeIntervalSince($0.time)) >= Self.pause } ?? true)
    let usable = keys.flatMap { keys in
      keys.expires.map { $0.timeIntervalSince(now) > Self.reserve } ?? true ? keys : nil
    }
    let isDue =
      usable.map { keys in
        keys == rejected || keys.expires.map { $0.timeIntervalSince(now) <= Self.margin } ?? false
      } ?? true
    if let usable {
      guard isDue, mayFetch else { return .use(usable) }
      isFetching = true
      return .useAndFetch(usable)
    }
    if isFetching { return .wait }
    if !mayFetch, let failure { return .fail(failure.error) }
    isFetching = true
    return .fetch
  }

  /// The fetch has ended.
  mutating func fetched(_ result: Result<BucketKeys, BucketError>, now: Date) {
    isFetching = false
    switch result {
    case .success(let new):
      // The same keys again are no better than before: pause.
      failure = new == rejected ? (.noCredentials(reason: "the server refused the keys"), now) : nil
      keys = new
    case .failure(let error): failure = (error, now)
    }
  }

  /// The server refused the keys: they are fetched anew with the next request.
  mutating func reject(_ keys: BucketKeys) {
    if keys == self.keys { rejected = keys }
  }
}
