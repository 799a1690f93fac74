extension HTTPLoader {
  /// Policies and hooks of an ``HTTPLoader``.
  public struct Configuration: Sendable {
    /// When a failed request is sent again. Two retries by default.
    public var retry = RetryPolicy.default
    /// The circuit breaker for hosts that keep failing; `nil` for none.
    public var circuitBreaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()
    /// When a late request is sent a second time (hedged requests); `nil`, the default, for never.
    public var hedging: HedgingPolicy?
    /// Remembers permanent failures, which are not retried for a while; `nil` for none. By default each loader has its
    /// own; several loaders can share one.
    public var failureMemory: FailureMemory? = FailureMemory()
    /// The interceptors: requests pass from the first to the last, responses from the last to the first.
    public var interceptors: [any LoadIntercepting] = []
    /// The transforms of response bodies, in this order.
    public var bodyTransforms: [any BodyTransforming] = []
    /// The declared media types to accept, such as `image/png` or `image/*`; `nil` accepts all, because the bytes
    /// decide.
    public var contentTypes: [String]?
    /// Stores partial bodies, so that a later load or another process can resume them; `nil` for none.
    public var partials: PartialStore?

    /// Creates the default configuration.
    public init() {}
  }

  /// The activity of an ``HTTPLoader``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Requests that were passed to the transport.
    public var requests = 0
    /// Retries among them.
    public var retries = 0
    /// Bodies that broke off and were resumed.
    public var continued = 0
    /// Bodies that resumed an earlier load.
    public var resumed = 0
    /// How often a fallback was tried.
    public var fallbacks = 0
    /// Loads that the failure memory answered.
    public var refusedByMemory = 0
    /// Requests that a circuit breaker refused.
    public var suspended = 0
    /// Second requests that were sent because the first was late, ``requests`` among them.
    public var hedges = 0
    /// Second requests that were due but not sent: for the share, the breaker, the deadline, or a place of the transport.
    public var hedgesRefused = 0
    /// Second requests that were answered first.
    public var hedgesWon = 0
  }
}
