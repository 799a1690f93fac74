extension LoadRequest {
  /// The timeouts of a load. Local sources ignore them.
  public struct Timeouts: Hashable, Sendable {
    /// Name look-up, TCP and TLS handshake together. 10 seconds by default.
    public var connect: Duration
    /// The longest time without a byte from the server once connected. 15 seconds by default.
    ///
    /// Time in which the consumer applies back-pressure does not count.
    public var idle: Duration
    /// From the call to the last byte, including time in the queues of the loader and of a pipeline. No limit by default.
    ///
    /// Back-pressure does not stop this clock.
    public var total: Duration?
    /// The minimum transfer rate; 128 bytes a second over 30 seconds by default, `nil` for no limit.
    ///
    /// Ends transfers that ``idle`` does not: a server that sends a byte now and then.
    public var minimumSpeed: MinimumSpeed?
    /// The time limit of a response in proportion to its length; 30 seconds plus one for each 16 KiB by default, `nil`
    /// for no limit.
    ///
    /// Ends slow-drip responses, which neither ``idle`` nor ``minimumSpeed`` does: at 140 bytes a second, a body of 2 MB
    /// would occupy a slot for four hours.
    public var body: BodyTime?

    /// A transfer rate.
    public struct MinimumSpeed: Hashable, Sendable {
      /// Bytes a second, on average over ``duration``.
      public var bytesPerSecond: Int
      /// The averaging time.
      public var duration: Duration

      /// At least `bytesPerSecond` on average over each `duration`.
      public init(bytesPerSecond: Int, over duration: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.duration = duration
      }
    }

    /// A time limit that grows with the bytes received.
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
    /// Only received bytes extend the limit, not announced ones: a server can announce any length. For a steady response
    /// this only affects when the error occurs.
    ///
    /// Time in which the consumer applies back-pressure does not count. After a redirect or a retry, and after a
    /// resumption, it starts anew.
    public struct BodyTime: Hashable, Sendable {
      /// The limit of a response without bytes.
      public var base: Duration
      /// The bytes that extend the limit by a second, at least one.
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
    ///   - minimumSpeed: The minimum transfer rate.
    ///   - body: The time limit of a response in proportion to its length.
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
      /// ``LoadRequest/Timeouts/connect``.
      case connect
      /// ``LoadRequest/Timeouts/idle``.
      case idle
      /// ``LoadRequest/Timeouts/total``, once the load had begun.
      case total
      /// ``LoadRequest/Timeouts/total``, while the load waited for its turn: nothing was sent, and this process is
      /// overloaded.
      case queue
      /// ``LoadRequest/Timeouts/minimumSpeed``.
      case minimumSpeed
      /// ``LoadRequest/Timeouts/body``.
      case body
    }
  }
}
