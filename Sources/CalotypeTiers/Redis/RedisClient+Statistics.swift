extension RedisClient {
  /// The figures of a client.
  public struct Statistics: Hashable, Sendable {
    /// Whether there is a connection.
    public var isConnected = false
    /// Connections that were made.
    public var connections = 0
    /// Attempts to connect that failed.
    public var failedConnections = 0
    /// Why the last attempt failed: a message of libcurl, or the first word of Redis' error. Without credentials.
    public var lastFailure: String?
    /// Commands that were sent.
    public var commands = 0
    /// Commands that got no reply in time.
    public var timeouts = 0
    /// Commands that were refused because there was no connection, or no room.
    public var rejected = 0
    /// Messages of subscriptions.
    public var messages = 0
  }
}
