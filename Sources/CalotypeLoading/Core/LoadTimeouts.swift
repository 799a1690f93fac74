/// How long a load may take. Local sources ignore them.
public struct LoadTimeouts: Hashable, Sendable {
  /// Name look-up, TCP and TLS handshake together. 10 seconds by default.
  public var connect: Duration
  /// Longest time without a single byte from the server once connected. 15 seconds by default.
  ///
  /// Time in which the consumer does not take bytes does not count.
  public var idle: Duration
  /// From the call to the last byte, time in queues included: the loader's, and that of a pipeline, where it
  /// counts from the moment at which the load is asked for. No limit by default.
  ///
  /// The clock goes on while the consumer does not take bytes.
  public var total: Duration?
  /// The least that a server must send while it sends; 128 bytes a second over 30 seconds by default, `nil` for no limit.
  ///
  /// Ends what ``idle`` cannot: a server that sends a byte now and then, for ever.
  public var minimumSpeed: MinimumSpeed?
  /// How long a response may take in relation to its length; 30 seconds and another one for each 16 KiB by default, `nil`
  /// for no limit.
  ///
  /// Ends slow drips, which neither ``idle`` nor ``minimumSpeed`` can: at 140 bytes a second, a body of 2 MB would hold its
  /// place for four hours.
  public var body: BodyTime?

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

  /// The time that a response has, which grows with what has come of it.
  ///
  /// It counts from the first byte of the response. At any time t, ``base`` + received / ``bytesPerSecond`` must not be less
  /// than t, so that a response of n bytes takes at most ``base`` + n / ``bytesPerSecond``. With the defaults, 30 s and
  /// 16 KiB/s:
  ///
  /// | response | ends at the latest |
  /// | --- | --- |
  /// | nothing after its first bytes | after 30 s |
  /// | 200 KB | after 42 s |
  /// | 2.7 MB, steadily at 14 KB/s | after 193 s, in time |
  /// | 2.7 MB, steadily at 8 KB/s | after 59 s, with an error: it would have taken 338 s |
  ///
  /// Bytes that were announced buy no time, only those that came: a server can announce any length. For a steady response
  /// that makes no difference, but for the time of the error.
  ///
  /// Time in which the consumer does not take bytes does not count. After a redirect or a retry, and when a body is
  /// continued, it counts anew.
  public struct BodyTime: Hashable, Sendable {
    /// The time of a response without bytes.
    public var base: Duration
    /// Bytes that buy another second, at least one.
    public var bytesPerSecond: Int

    /// `base`, and a second for each `bytesPerSecond` bytes.
    public init(base: Duration = .seconds(30), bytesPerSecond: Int = 16 << 10) {
      self.base = base
      self.bytesPerSecond = bytesPerSecond
    }
  }

  /// - Parameters:
  ///   - connect: Name look-up, TCP and TLS handshake together.
  ///   - idle: Longest time without a byte from the server.
  ///   - total: From the call to the last byte; `nil` for no limit.
  ///   - minimumSpeed: The least that a server must send.
  ///   - body: How long a response may take in relation to its length.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(15), total: Duration? = nil,
    minimumSpeed: MinimumSpeed? = MinimumSpeed(bytesPerSecond: 128, over: .seconds(30)),
    body: BodyTime? = BodyTime()
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
    self.minimumSpeed = minimumSpeed
    self.body = body
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
    /// ``LoadTimeouts/body``.
    case body
  }
}
