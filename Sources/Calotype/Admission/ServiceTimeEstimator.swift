/// Estimates the duration of loads per origin, to detect those that cannot meet their deadline. A pure
/// value.
struct ServiceTimeEstimator: Sendable {
  private struct Entry: Sendable {
    var mean: Duration
    var count = 1
    var last: Duration
  }

  /// The number of measurements required for a prediction.
  private static let least = 4
  /// The validity of a measurement: afterwards a load is sent again, regardless of earlier durations.
  private static let validity = Duration.seconds(10)
  /// The maximum number of origins remembered.
  static let capacity = 1024

  private var entries: [QueueFlow: Entry] = [:]

  /// Records the duration of a load, successful or not.
  mutating func add(_ duration: Duration, of flow: QueueFlow, at now: Duration) {
    if var entry = entries[flow] {
      entry.mean += (duration - entry.mean) / 8
      entry.count += 1
      entry.last = now
      entries[flow] = entry
      return
    }
    if entries.count >= Self.capacity {
      entries = entries.filter { now - $0.value.last < Self.validity }
      if entries.count >= Self.capacity { entries = [:] }
    }
    entries[flow] = Entry(mean: duration, last: now)
  }

  /// Returns the predicted duration of a load; `nil` if unknown.
  func prediction(of flow: QueueFlow, at now: Duration) -> Duration? {
    guard let entry = entries[flow], entry.count >= Self.least, now - entry.last < Self.validity else {
      return nil
    }
    return entry.mean
  }
}
