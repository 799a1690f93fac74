/// How long a load may take. Local sources ignore them.
public struct LoadTimeouts: Hashable, Sendable {
  /// Name look-up, TCP and TLS handshake together. 10 seconds by default.
  public var connect: Duration
  /// Longest time without a single byte from the server once connected. 15 seconds by default.
  ///
  /// Time in which the consumer does not take bytes does not count.
  public var idle: Duration
  /// From the call to the last byte, time in the loader's queue included. No limit by default.
  ///
  /// The clock goes on while the consumer does not take bytes.
  public var total: Duration?
  /// The least that a server must send while it sends; 128 bytes a second over 30 seconds by default, `nil` for no limit.
  ///
  /// Ends what ``idle`` cannot: a server that sends a byte now and then, for ever.
  public var minimumSpeed: MinimumSpeed?

  /// A number of bytes in a time.
  public struct MinimumSpeed: Hashable, Sendable {
    /// Bytes a second, on average over ``duration``.
    public var bytesPerSecond: Int
    /// The time to average over.
    public var duration: Duration

    /// At least `bytesPerSecond` on average over each `duration`.
    public init(bytesPerSecond: Int, over duration: Duration) {
      self.bytesPerSecond = bytesPerSecond
      self.duration = duration
    }
  }

  /// - Parameters:
  ///   - connect: Name look-up, TCP and TLS handshake together.
  ///   - idle: Longest time without a byte from the server.
  ///   - total: From the call to the last byte; `nil` for no limit.
  ///   - minimumSpeed: The least that a server must send.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(15), total: Duration? = nil,
    minimumSpeed: MinimumSpeed? = MinimumSpeed(bytesPerSecond: 128, over: .seconds(30))
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
    self.minimumSpeed = minimumSpeed
  }

  /// The deadline that passed.
  public enum Phase: String, Hashable, Sendable {
    /// ``LoadTimeouts/connect``.
    case connect
    /// ``LoadTimeouts/idle``.
    case idle
    /// ``LoadTimeouts/total``.
    case total
    /// ``LoadTimeouts/minimumSpeed``.
    case minimumSpeed
  }
}
