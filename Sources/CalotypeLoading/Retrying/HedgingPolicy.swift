/// When a second request is sent for a response that is late (hedged requests; J. Dean and L. A. Barroso, "The Tail at
/// Scale", Communications of the ACM 56(2), 2013).
///
/// A request that has no response head after the 95th percentile of the recent times of its origin is sent a second
/// time. The first answer wins, and the other request is cancelled, which closes its connection. A retryable error is
/// no answer while the other request runs.
///
/// ```swift
/// var configuration = HTTPLoader.Configuration()
/// configuration.hedging = HedgingPolicy()   // at most 5 % more requests
/// ```
///
/// The time of a request is that from its start to the head of its response: redirects count, and time in the queue of a
/// ``CurlLoader`` does not. The last ``HedgingPolicy/window`` responses of an origin are its recent times; a request that
/// lost counts with the time that it had.
///
/// No second request is sent
///
/// * before the origin has ``minimumSamples`` times;
/// * while the circuit breaker of the origin is open, or probes it;
/// * when the ``share`` is used up;
/// * beyond the limits of the transport: a ``CurlLoader`` refuses a second request that would have to wait for a slot;
/// * for a request with ``LoadRequest/allowsHedging`` off.
///
/// The answer is delivered when the other request has ended, which a transport has to do promptly when it is cancelled.
///
/// Both requests are the same, as interceptors left it; they have the same deadline. Interceptors see one response. On an
/// HTTP/2 connection both may use the same connection, so that hedging helps against a slow server, not against a lost
/// connection.
public struct HedgingPolicy: Hashable, Sendable {
  /// The most second requests, as a share of all requests of the loader, from 0 to 1. 0.05 by default.
  ///
  /// Each request earns this share of a second one (token bucket), so that at any time no more than this share of the
  /// requests so far have been sent twice.
  public var share: Double
  /// The most second requests that can be saved up, for a time when many responses are late at once. 10 by default.
  public var burst: Int
  /// The shortest time to wait for a response head. 10 ms by default.
  public var minimumDelay: Duration
  /// The number of responses of an origin before its times are believed, at least one. 20 by default.
  public var minimumSamples: Int

  /// The number of recent responses of an origin that its times are taken of.
  public static let window = 200

  /// - Parameters:
  ///   - share: The most second requests, as a share of all requests.
  ///   - burst: The most second requests that can be saved up.
  ///   - minimumDelay: The shortest time to wait for a response head.
  ///   - minimumSamples: The number of responses of an origin before its times are believed.
  public init(
    share: Double = 0.05, burst: Int = 10, minimumDelay: Duration = .milliseconds(10),
    minimumSamples: Int = 20
  ) {
    self.share = share
    self.burst = burst
    self.minimumDelay = minimumDelay
    self.minimumSamples = minimumSamples
  }
}
