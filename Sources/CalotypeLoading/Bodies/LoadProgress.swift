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

/// Decides which progress reports are made. Pure.
package struct ProgressThrottle: Sendable {
  /// The smallest fraction of the whole between two reports.
  let step: Double
  private var reported: Int?

  package init(step: Double) {
    self.step = step
  }

  /// Returns whether to report `received` bytes. Without a length every chunk is reported; the full length always is.
  package mutating func admits(_ received: Int, of expected: Int?) -> Bool {
    if let expected, let reported, received < expected, Double(received - reported) < step * Double(expected)
    {
      return false
    }
    reported = received
    return true
  }

  /// Returns whether the end of a body must still be reported, because its length was unknown or wrong.
  func owesTheEnd(_ received: Int, of expected: Int?) -> Bool {
    received > 0 && expected != received
  }
}
