import CalotypeTiers

/// One node: its caches, its table of purges, and its views of Redis and bucket.
final class SimulatedNode {
  let index: Int
  var records: RecentRecords
  var table = PurgeTable()
  var redis = RedisBreaker()
  var bucket = BucketBreaker()
  var writes = WriteLine<() -> Void>()
  var durations = FlightDurations()
  /// Requests that wait for a key; the flight has begun.
  var joined: [Int: [(Int?) -> Void]] = [:]
  /// Waits for the end of a flight elsewhere.
  var wakes: [Int: () -> Void] = [:]

  init(_ index: Int, _ scenario: Scenario) {
    self.index = index
    records = RecentRecords(keys: scenario.keys, limit: scenario.memory)
  }
}
