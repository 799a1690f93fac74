package import CalotypeCaching
import CalotypeSupport

/// Probes a Redis or Valkey server for all that Calotype does with one. Its keys have random names in the namespace; each is
/// removed, also when the task is cancelled, and ends by itself within a minute.
package struct RedisCheck: Sendable {
  private let configuration: RedisClient.Configuration
  private let limits: TierCheckLimits
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - configuration: The server.
  ///   - limits: The bounds.
  ///   - clock: The clock of deadlines and measured times.
  package init(
    _ configuration: RedisClient.Configuration, limits: TierCheckLimits = TierCheckLimits(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.configuration = configuration
    self.limits = limits
    self.clock = clock
  }

  /// Runs all probes, one after another. Without a connection, the others are left out.
  ///
  /// - Parameter report: Gets the finding of each probe.
  /// - Throws: `CachingError.failed(operation:reason:isRetryable:)` for settings that no connection can have.
  package func run(_ report: @escaping (TierFinding) -> Void) async throws(CachingError) {
    let run = ProbeRun(limits, clock: clock, report: report)
    var configuration = configuration
    let (timeout, hasPassword) = (configuration.timeout, configuration.password != nil)
    configuration.timeout = limits.probe
    configuration.connectTimeout = limits.probe
    // An attempt that ended before it was waited for is made again.
    configuration.retryInterval = .milliseconds(100)
    let probes = RedisProbes(
      try RedisClient(configuration), samples: limits.samples, timeout: timeout, clock: clock)
    let usesTLS = configuration.usesTLS
    defer { probes.client.close() }
    guard await run.perform("connection", { await probes.connection(usesTLS: usesTLS) }) else { return }
    await run.perform("authentication") { await probes.authentication(hasPassword: hasPassword) }
    await run.perform("server") { await probes.server() }
    await run.perform("values") { await probes.values() }
    await run.perform("scripts") { await probes.scripts() }
    await run.perform("purgeNumbers") { await probes.purgeNumbers() }
    await run.perform("pushes") { await probes.pushes() }
    await run.perform("memory") { await probes.memory() }
    await run.perform("readLatency") { await probes.readLatency() }
    await run.perform("writeLatency") { await probes.writeLatency() }
    await run.cleanUp { await probes.removeAll() }
  }
}

extension RedisError {
  /// A stable name for machine-readable output.
  package var code: String {
    switch self {
    case .unavailable: "redisUnreachable"
    case .timedOut: "redisTimedOut"
    case .queueFull: "redisOverloaded"
    case .refused: "redisRefused"
    case .cancelled: "cancelled"
    case .unexpectedReply: "redisAnswer"
    }
  }

  /// The failure in words.
  package var reason: String {
    switch self {
    case .unavailable: "no connection"
    case .timedOut: "no answer in time"
    case .queueFull: "too many commands wait"
    case .refused("NOPERM"): "refused: the user has no right to it (NOPERM)"
    case .refused("OOM"): "refused: the memory is full (OOM)"
    case .refused("READONLY"): "refused: the server is a replica (READONLY)"
    case .refused("MOVED"): "refused: another node of the cluster has the key (MOVED)"
    case .refused(let code): "refused: \(code)"
    case .cancelled: "cancelled"
    case .unexpectedReply: "an answer of another kind"
    }
  }
}
