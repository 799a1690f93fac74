public import CalotypeCaching
import CalotypeSupport

/// A client of a Redis server (6 or later): one connection, one thread, RESP3 by libcurl, which brings TLS.
///
/// Commands of all callers share the connection. They fail at once while there is none, and after
/// ``Configuration/timeout`` otherwise: a server that is slow or gone costs its callers three timeouts, then nothing until
/// it is back. ``RedisCoordinator``, ``RedisCache`` and ``RedisPurgeChannel`` use a client together.
///
/// ```swift
/// let redis = try RedisClient(.init(URL(string: "rediss://cache.internal:6380/2")!))
/// await redis.connected()
/// ```
///
/// The connection ends when the client is released.
public final class RedisClient: Sendable {
  let shared: RedisShared

  /// Creates a client, which begins to connect.
  ///
  /// - Throws: `CachingError.failed(operation:reason:isRetryable:)` for settings that no connection can have.
  public convenience init(_ configuration: Configuration) throws(CachingError) {
    try self.init(configuration, limits: .init())
  }

  init(_ configuration: Configuration, limits: RedisPipeline.Limits) throws(CachingError) {
    try configuration.check()
    let shared = RedisShared(configuration, limits: limits)
    self.shared = shared
    Threads.start(name: "calotype-redis") { RedisLoop(shared).run() }
  }

  deinit { shared.close() }

  /// Whether there is a connection.
  public var isConnected: Bool { shared.state.withLock { $0.statistics.isConnected } }

  /// The figures of the client.
  public var statistics: Statistics { shared.state.withLock { $0.statistics } }

  /// Waits for the present or the next attempt to connect.
  ///
  /// - Returns: Whether there is a connection.
  @discardableResult public func connected() async -> Bool {
    let waiter = Waiter<Bool>()
    let answer = shared.state.withLock { state -> Bool? in
      if state.isClosed { return false }
      if state.statistics.isConnected { return true }
      state.attempts.append(waiter)
      return nil
    }
    if let answer { return answer }
    return await waiter.value(onCancel: false)
  }

  /// Ends the connection. Later commands fail.
  public func close() { shared.close() }

  /// The name of a key or channel in the namespace.
  func name(_ rest: String) -> String { "\(shared.configuration.namespace):\(rest)" }

  /// The name of a key that belongs to a cache key. All of one cache key are in one slot of a cluster.
  func name(of key: CacheKey, _ suffix: String) -> String {
    "{\(shared.configuration.namespace):\(key.hexDigest)}:\(suffix)"
  }

  /// Sends a command. An error of Redis is thrown.
  func send(_ command: RESPCommand, timeout: Duration? = nil) async throws(RedisError) -> RESPValue {
    let waiter = Waiter<Result<RESPValue, RedisError>>()
    shared.submit(command, timeout: timeout) { waiter.resolve($0) }
    let value = try await waiter.value(onCancel: .failure(.cancelled)).get()
    if case .error(let text) = value { throw RedisError(refusal: text) }
    return value
  }

  /// Runs a script, whose text is sent if Redis does not know it, as after a restart.
  func run(
    _ script: RedisScript, keys: [String], arguments: [[UInt8]]
  ) async throws(RedisError) -> RESPValue {
    let waiter = Waiter<Result<RESPValue, RedisError>>()
    run(script, keys: keys, arguments: arguments) { waiter.resolve($0) }
    return try await waiter.value(onCancel: .failure(.cancelled)).get()
  }

  /// Runs a script, and calls `completion` once, by the thread of the client or, when the command is refused, at once.
  func run(
    _ script: RedisScript, keys: [String], arguments: [[UInt8]],
    _ completion: @escaping @Sendable (Result<RESPValue, RedisError>) -> Void
  ) {
    let shared = shared
    let known = script.command(keys: keys, arguments: arguments, isKnown: true)
    shared.submit(known, timeout: nil) { result in
      guard case .success(.error(let text)) = result else { return completion(result) }
      guard RedisError(refusal: text) == .refused(code: "NOSCRIPT") else {
        return completion(.failure(RedisError(refusal: text)))
      }
      let whole = script.command(keys: keys, arguments: arguments, isKnown: false)
      shared.submit(whole, timeout: nil) { result in
        if case .success(.error(let text)) = result { return completion(.failure(RedisError(refusal: text))) }
        completion(result)
      }
    }
  }
}
