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

  /// - Parameters:
  ///   - connect: Name look-up, TCP and TLS handshake together.
  ///   - idle: Longest time without a byte from the server.
  ///   - total: From the call to the last byte; `nil` for no limit.
  public init(
    connect: Duration = .seconds(10), idle: Duration = .seconds(15), total: Duration? = nil
  ) {
    self.connect = connect
    self.idle = idle
    self.total = total
  }

  /// The deadline that passed.
  public enum Phase: String, Hashable, Sendable {
    /// ``LoadTimeouts/connect``.
    case connect
    /// ``LoadTimeouts/idle``.
    case idle
    /// ``LoadTimeouts/total``.
    case total
  }
}
