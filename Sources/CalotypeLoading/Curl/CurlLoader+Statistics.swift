extension CurlLoader {
  /// The activity of a ``CurlLoader``.
  public struct Statistics: Hashable, Codable, Sendable {
    /// Whether new transfers are accepted: not while it drains or after it is shut down.
    public var isAccepting = true
    /// Running transfers.
    public var active = 0
    /// Queued transfers.
    public var queued = 0
    /// Transfers that were started.
    public var started = 0
    /// Transfers that completed.
    public var completed = 0
    /// Transfers that ended with an error.
    public var failed = 0
    /// Transfers whose consumer left, before or after they were started.
    public var cancelled = 0
    /// Bytes of bodies.
    public var bytesReceived = 0
    /// Connections that were opened.
    public var connectionsOpened = 0
    /// How often a transfer paused because its consumer was behind.
    public var pauses = 0
    /// The most bytes ever buffered for one consumer.
    public var peakBufferedBytes = 0
  }
}
