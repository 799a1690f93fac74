extension HTTPLoader {
  /// Policies and hooks of an ``HTTPLoader``.
  public struct Configuration: Sendable {
    /// When a failed request is sent again. Two retries by default.
    public var retry = RetryPolicy.default
    /// When a host that keeps failing is left alone; `nil` for never.
    public var circuitBreaker: CircuitBreakerPolicy? = CircuitBreakerPolicy()
    /// What failed for good and is not asked again for a while; `nil` to ask each time. Its own by default; share one to
    /// share its knowledge.
    public var failureMemory: FailureMemory? = FailureMemory()
    /// Who sees each request before it is sent, the first one first, and each response, the last one first.
    public var interceptors: [any LoadIntercepting] = []
    /// What becomes of the bytes of a body, in this order.
    public var bodyTransforms: [any BodyTransforming] = []
    /// The declared media types to accept, such as `image/png` or `image/*`; `nil` for any, because what counts are the
    /// bytes.
    public var contentTypes: [String]?
    /// Where parts of bodies are kept that broke off, to be continued by a later load or another process; `nil` for nowhere.
    public var partials: PartialStore?

    /// The defaults.
    public init() {}
  }

  /// What an ``HTTPLoader`` has done.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Requests that were given to the transport.
    public var requests = 0
    /// Those among them that were sent because an earlier one had failed.
    public var retries = 0
    /// Bodies that broke off and were continued.
    public var continued = 0
    /// Bodies that began where an earlier load had stopped.
    public var resumed = 0
    /// Times another source was asked because one had failed.
    public var fallbacks = 0
    /// Loads that the failure memory answered.
    public var refusedByMemory = 0
    /// Requests that were not sent because their host is left alone.
    public var suspended = 0
  }
}
