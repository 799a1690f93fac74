extension CurlLoader {
  /// Limits and identity of a ``CurlLoader``.
  public struct Configuration: Sendable {
    /// Transfers at a time, over all hosts. 6 by default.
    public var maxConcurrent: Int
    /// Transfers at a time per host and port of the requested URL. 6 by default.
    public var maxConcurrentPerHost: Int
    /// Transfers that may wait for their turn; more fail with ``LoadingError/queueFull(_:limit:)``.
    /// 10,000 by default.
    public var maxQueued: Int
    /// Redirects to follow. 10 by default.
    public var maxRedirects: Int
    /// Bytes to keep ahead of a slow consumer, per transfer. 1 MiB by default.
    public var highWater: Int
    /// The `User-Agent`, unless a request has its own.
    public var userAgent: String
    /// The `Accept`, unless a request has its own.
    public var accept: String
    /// A file of trusted certificates (PEM) to use instead of the system's.
    public var caFile: String?

    /// - Parameters:
    ///   - maxConcurrent: Transfers at a time, at least one.
    ///   - maxConcurrentPerHost: Transfers at a time per host and port, at least one.
    ///   - maxQueued: Transfers that may wait.
    ///   - maxRedirects: Redirects to follow.
    ///   - highWater: Bytes to keep ahead of a slow consumer.
    ///   - userAgent: The `User-Agent`.
    ///   - accept: The `Accept`.
    ///   - caFile: Trusted certificates (PEM) instead of the system's.
    public init(
      maxConcurrent: Int = 6, maxConcurrentPerHost: Int = 6, maxQueued: Int = 10_000, maxRedirects: Int = 10,
      highWater: Int = 1 << 20, userAgent: String = "Calotype/0.1", accept: String = "image/*,*/*;q=0.8",
      caFile: String? = nil
    ) {
      self.maxConcurrent = maxConcurrent
      self.maxConcurrentPerHost = maxConcurrentPerHost
      self.maxQueued = maxQueued
      self.maxRedirects = maxRedirects
      self.highWater = highWater
      self.userAgent = userAgent
      self.accept = accept
      self.caFile = caFile
    }
  }
}
