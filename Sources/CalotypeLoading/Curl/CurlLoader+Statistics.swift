extension CurlLoader {
  /// What a ``CurlLoader`` is doing and has done.
  public struct Statistics: Hashable, Sendable {
    /// Whether new transfers are accepted: not any more once it drains or is shut down.
    public var isAccepting = true
    /// Transfers that run.
    public var active = 0
    /// Transfers that wait for their turn.
    public var queued = 0
    /// Transfers that were started so far.
    public var started = 0
    /// Transfers that ended well.
    public var completed = 0
    /// Transfers that ended with an error.
    public var failed = 0
    /// Transfers whose consumer left, before or after they were started.
    public var cancelled = 0
    /// Bytes of bodies.
    public var bytesReceived = 0
    /// Connections that were opened.
    public var connectionsOpened = 0
    /// Times a transfer had to stop because its consumer was behind.
    public var pauses = 0
    /// Most bytes that ever waited for one consumer.
    public var peakBufferedBytes = 0
  }
}
