/// How much of a transfer has arrived.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes received so far.
  public var received: Int
  /// Bytes in all, when the server announced it.
  public var expected: Int?

  /// Creates a progress value.
  public init(received: Int, expected: Int?) {
    self.received = received
    self.expected = expected
  }

  /// 0 to 1, when the length is known.
  public var fraction: Double? {
    guard let expected, expected > 0 else { return nil }
    return min(1, Double(received) / Double(expected))
  }
}
