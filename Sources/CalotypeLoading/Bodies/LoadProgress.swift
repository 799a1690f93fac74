/// The progress of a transfer.
public struct LoadProgress: Hashable, Sendable {
  /// The number of bytes received so far.
  public var received: Int
  /// The total number of bytes, if the server announced it.
  public var expected: Int?

  /// Creates a progress value.
  public init(received: Int, expected: Int?) {
    self.received = received
    self.expected = expected
  }

  /// The received fraction, from 0 to 1; `nil` if the length is unknown.
  public var fraction: Double? {
    guard let expected, expected > 0 else { return nil }
    return min(1, Double(received) / Double(expected))
  }
}
