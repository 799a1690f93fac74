/// Limits on running and queued transfers, over all hosts and per host. Pure.
struct TransferLimits: Hashable, Sendable {
  /// Slots over all hosts, at least one.
  let concurrent: Int
  /// Slots per host, at least one.
  let perHost: Int
  /// The most queued transfers over all hosts.
  let queued: Int

  /// With fewer slots than this, sharing is pointless.
  static let fewestShared = 4

  init(concurrent: Int, perHost: Int, queued: Int = .max) {
    self.concurrent = max(1, concurrent)
    self.perHost = max(1, perHost)
    self.queued = max(0, queued)
  }

  /// Whether a host must leave slots to others: not if the limits allow one host all slots, and not with very few
  /// slots.
  var areShared: Bool { perHost < concurrent && concurrent >= Self.fewestShared }

  /// The number of slots below which a host may take another, when `free` are free.
  func places(free: Int) -> Int {
    // A host without slots may take the last one.
    areShared ? min(perHost, max(1, free)) : perHost
  }

  /// The number of queued transfers of a host below which another is accepted, when `waiting` are queued over all
  /// hosts.
  ///
  /// A dynamic threshold, as ``TransferQueue`` uses for slots: a host may queue at most as many as the queue has free,
  /// so that a single host gets half.
  func queuedPerHost(waiting: Int) -> Int {
    let free = max(0, queued - max(0, waiting))
    return areShared ? free : Int.max
  }
}
