/// Decides whether requests should be sent to a server: a pure value.
struct Readiness: Hashable, Sendable {
  /// The time without a start or an end of a job after which the workers stall.
  static let stall = Duration.seconds(5)
  /// The number of misses in a row after which the workers count as silent: one alone is a busy machine.
  static let tolerance = 2

  /// Whether the server is about to end.
  var isDraining = false
  /// The number of tiny images in a row that did not come out of the pipeline in time.
  var misses = 0
  /// Whether a record was written to disk in time; true without a cache on disk.
  var isDiskWritable = true
  /// The time since a job was last started or ended.
  var standstill = Duration.zero
  /// The number of waiting jobs.
  var waiting = 0
  /// The number of running jobs.
  var running = 0

  /// The reason why no requests should be sent; `nil` if they should.
  var fault: String? {
    if isDraining { return "the server is shutting down" }
    if waiting > 0, standstill >= Self.stall { return "\(waiting) jobs wait, and none has begun or ended" }
    // The canary queues behind images in progress: it may be late as long as they end.
    if misses >= Self.tolerance, running == 0 || standstill >= Self.stall {
      return "the workers do not answer"
    }
    if !isDiskWritable { return "the disk of the cache cannot be written" }
    return nil
  }
}
