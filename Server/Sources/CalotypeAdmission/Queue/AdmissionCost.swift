/// The work of a job, predicted from headers and options.
public struct AdmissionCost: Hashable, Sendable {
  /// Processor time, from 1 µs to ``maximumDuration``.
  public let duration: Duration
  /// The largest number of decoded bytes that the job holds at a time.
  public let byteCount: Int

  /// The longest predicted processor time: one hour. Longer predictions count as this one.
  public static let maximumDuration = Duration.seconds(3600)

  /// Creates a prediction.
  ///
  /// - Parameters:
  ///   - milliseconds: Processor time. Negative numbers count as 0; a value that is not a number counts as the
  ///     maximum, so that a faulty prediction is refused rather than believed.
  ///   - byteCount: Decoded bytes. Negative numbers count as 0.
  public init(milliseconds: Double, byteCount: Int) {
    let limit = Double(Nanoseconds.maximumCost) / 1e6
    let bounded = milliseconds.isNaN ? limit : min(max(milliseconds, 0), limit)
    self.init(duration: .nanoseconds(Int64(bounded * 1e6)), byteCount: byteCount)
  }

  /// Creates a prediction.
  ///
  /// - Parameters:
  ///   - duration: Processor time, limited to the range of ``duration``.
  ///   - byteCount: Decoded bytes. Negative numbers count as 0.
  public init(duration: Duration, byteCount: Int) {
    self.duration = min(max(duration, .microseconds(1)), Self.maximumDuration)
    self.byteCount = max(byteCount, 0)
  }

  /// Processor time in milliseconds.
  public var milliseconds: Double { Double(Nanoseconds.of(duration)) / 1e6 }
}
