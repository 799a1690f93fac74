/// How long failures are remembered.
public struct NegativePolicy: Hashable, Sendable {
  /// The duration for sources that do not exist: 404 and 410.
  public var missing = Duration.seconds(60)
  /// The duration after a first failure that may pass: 5xx of the origin, timeouts, no connection. It doubles with each further one.
  public var firstDelay = Duration.seconds(1)
  /// The longest of these durations.
  public var longestDelay = Duration.seconds(30)
  /// The longest wait that an origin may ask for by `Retry-After`.
  public var longestRetryAfter = Duration.seconds(300)
  /// The number of failures that are remembered.
  public var capacity = 10_000

  /// Creates the policy with its defaults.
  public init() {}

  /// The fate of a failure.
  enum Kind: Hashable, Sendable {
    case missing
    case passing
    /// Nothing that concerns the source: never remembered, above all not what this server itself refuses.
    case none
  }

  static func kind(of failure: Failure) -> Kind {
    switch failure.reason {
    case .sourceStatus:
      switch failure.originStatus ?? 0 {
      case 404, 410: .missing
      case 429, 500...: .passing
      default: .none
      }
    case .sourceTimeout, .sourceUnreachable, .sourceIncomplete: .passing
    default: .none
    }
  }

  /// Returns the duration for which a failure is remembered: the delay of the attempt, shortened at random by up to a half, so that
  /// many sources of a failed origin are not asked for at once.
  ///
  /// - Parameters:
  ///   - attempt: 1 for the first failure.
  ///   - jitter: 0 to 1.
  func delay(attempt: Int, jitter: Double) -> Duration {
    let first = min(max(firstDelay, .milliseconds(1)), .seconds(3600))
    let doubled = first * (1 << min(max(attempt - 1, 0), 20))
    let bounded = min(doubled, min(max(longestDelay, first), .seconds(3600)))
    return bounded * (1 - 0.5 * min(max(jitter, 0), 1))
  }
}
