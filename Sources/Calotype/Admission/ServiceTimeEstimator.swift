/// How long loads from each origin take, to tell which cannot be done in time. A pure value.
struct ServiceTimeEstimator: Sendable {
  private struct Entry: Sendable {
    var mean: Duration
    var count = 1
    var last: Duration
  }

  /// Loads that must have been measured before anything is predicted.
  private static let least = 4
  /// How long a measurement counts: afterwards one is sent again, whatever it took before.
  private static let validity = Duration.seconds(10)
  /// Origins that are remembered.
  static let capacity = 1024

  private var entries: [QueueFlow: Entry] = [:]

  /// A load has ended, well or not.
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

  /// How long a load will take; `nil` when nobody knows.
  func prediction(of flow: QueueFlow, at now: Duration) -> Duration? {
    guard let entry = entries[flow], entry.count >= Self.least, now - entry.last < Self.validity else {
      return nil
    }
    return entry.mean
  }
}
