extension RedisCoordinator {
  /// The settings of a coordinator.
  public struct Configuration: Hashable, Sendable {
    /// How long a lease lasts that is not renewed, as of a node that died; at least 30 ms.
    public var lease = Duration.seconds(3)
    /// The time between two looks at the lease of another node; ± 20 %. Messages make most of them needless.
    public var poll = Duration.milliseconds(250)
    /// How long it is known that a value was stored.
    public var storedLifetime = Duration.seconds(2)
    /// How long a value is kept in Redis.
    public var valueLifetime = Duration.seconds(5)
    /// How long an absence is known, at most 30 s.
    public var absenceLifetime = Duration.seconds(30)
    /// How long it is known that a value is private.
    public var privateLifetime = Duration.seconds(10)
    /// How long a failure is known.
    public var failureLifetime = Duration.seconds(1)
    /// The largest value that is passed through Redis; bytes. A larger one counts as stored.
    public var valueLimit = 64 << 10
    /// The most leases that this node holds. Further calls are alone.
    public var maxLeases = 10_000
    /// The most calls that wait. Further ones are alone.
    public var maxWaits = 50_000
    /// The least age at which a lease counts as slow, and a second node leads too. `nil` never does.
    public var hedgeFloor: Duration? = .milliseconds(500)
    /// A lease also counts as slow from this many times the mean of its host.
    public var hedgeFactor = 3.0

    /// The default settings.
    public init() {}
  }

  /// The figures of a coordinator.
  public struct Statistics: Hashable, Sendable {
    /// Calls that led.
    public var leads = 0
    /// Those of them that led because another was slow.
    public var hedges = 0
    /// Looks that found another leading, and a wait after each.
    public var waits = 0
    /// Waits that a message ended.
    public var wakes = 0
    /// Calls that were told an outcome.
    public var outcomes = 0
    /// Calls that did not wait.
    public var busy = 0
    /// Calls without coordination.
    public var alone = 0
    /// Leases that were lost before they ended.
    public var lost = 0
    /// Leases that are held now.
    public var held = 0
    /// Calls that wait now.
    public var waiting = 0
  }
}
