/// Decides whether a client takes the bytes of a transfer fast enough.
///
/// A client that reads a little now and then would otherwise hold the transfer from the origin, of which there are few.
public struct ClientPace: Sendable {
  /// A client that is slower than the limit.
  public struct TooSlow: Error, Hashable, CustomStringConvertible {
    /// The number of bytes that the client took.
    public let byteCount: Int
    /// The time that it took for them.
    public let duration: Duration
    /// The fault in one sentence.
    public var description: String { "the client took \(byteCount) bytes in \(duration)" }
  }

  /// The bytes that a client has to take in each second beyond the patience.
  public static let bytesPerSecond = 16 << 10

  private let patience: Duration
  private var byteCount = 0
  private var duration = Duration.zero

  /// Creates the pace of a transfer that begins.
  ///
  /// - Parameter patience: The time that any client has.
  public init(patience: Duration) { self.patience = patience }

  /// Records that a client has taken bytes.
  ///
  /// - Parameter time: The time in which the transfer waited for the client.
  /// - Throws: ``TooSlow``.
  public mutating func took(_ count: Int, in time: Duration) throws(TooSlow) {
    byteCount += count
    duration += time
    let allowed = patience + .seconds(byteCount / Self.bytesPerSecond)
    guard duration <= allowed else { throw TooSlow(byteCount: byteCount, duration: duration) }
  }
}
