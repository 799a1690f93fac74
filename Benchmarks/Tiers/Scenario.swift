/// The traffic, the nodes and the fault of a simulation.
struct Scenario {
  /// The part that is broken, for a time or from the beginning.
  enum Fault: String, CaseIterable {
    case none = "all well"
    case redisDown = "Redis down 8-16 s"
    case redisRestarted = "Redis restarted empty at 10.2 s"
    case split = "half cut off 8-16 s"
    case holdersDie = "10 % of holders die"
    case holdersFreeze = "5 % of holders freeze for 4 s"
    case bucketErrors = "bucket 503 on 30 %"
    case bucketDown = "bucket all 503"
    case bucketDownAWhile = "bucket all 503, 8-16 s"
    case bucketSlow = "bucket 10x slow"
    case bothDown = "bucket all 503, Redis down 8-16 s"
  }

  var name: String
  var nodes = 20
  /// Requests a second and node.
  var rate = 150.0
  var keys = 3_000
  /// The exponent of Zipf's law.
  var exponent = 1.0
  /// Records that a node keeps in memory.
  var memory = 3_000
  /// A Boolean value that indicates whether caches and bucket are full at the beginning.
  var isWarm = true
  /// When the first keys are purged; never if `nil`.
  var purgeTime: Double? = 10
  var purgedKeys = 300
  /// A Boolean value that indicates whether purged records may be served while they are refreshed.
  var isSoft = false
  var origin = Latency(p50: 0.15, p99: 1.5)
  /// A Boolean value that indicates whether records are small enough to pass through Redis.
  var isInline = true
  /// A Boolean value that indicates whether nodes coordinate.
  var coordinates = true
  var fault = Fault.none
  /// When requests end, in seconds.
  var end = 22.0
  var seed: UInt64 = 1
}
