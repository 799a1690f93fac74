extension WorkQueue {
  /// The counters of a queue: current values and totals.
  struct Statistics: Hashable, Sendable {
    var running = 0
    var waiting = 0
    var peakRunning = 0
    var peakWaiting = 0
    /// The number of entries that were refused because too many waited.
    var refused = 0
  }

  /// The resources that one entry requests.
  struct Claim: Sendable {
    var flow = QueueFlow()
    /// The predicted duration in nanoseconds.
    var cost: Int64 = 1_000_000
    /// The bytes that are reserved with its turn.
    var bytes = 0
    var account = MemoryLedger.Account.decoded
    /// The encoded bytes that the entry holds while it waits, and that its turn releases.
    var held: HeldBytes?
    /// The time until which the entry waits, in the time of the queue; `nil` for no limit.
    var expiry: Duration?
  }

  /// Bytes that several entries may hold together.
  struct HeldBytes: Hashable, Sendable {
    let count: Int
    let holder: ObjectIdentifier

    init?(_ count: Int, of holder: AnyObject) {
      guard count > 0 else { return nil }
      (self.count, self.holder) = (count, ObjectIdentifier(holder))
    }
  }
}
