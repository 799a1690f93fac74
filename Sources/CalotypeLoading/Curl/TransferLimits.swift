/// How many transfers run and wait at a time, over all hosts and for one. Pure.
struct TransferLimits: Hashable, Sendable {
  /// Places in all, at least one.
  let concurrent: Int
  /// Places of one host, at least one.
  let perHost: Int
  /// Transfers that may wait in all.
  let queued: Int

  /// With fewer places than this there is nothing to share.
  static let fewestShared = 4

  init(concurrent: Int, perHost: Int, queued: Int = .max) {
    self.concurrent = max(1, concurrent)
    self.perHost = max(1, perHost)
    self.queued = max(0, queued)
  }

  /// Whether a host must leave something to others: not where the limits allow one host everything anyway, and not among
  /// a handful of places.
  var areShared: Bool { perHost < concurrent && concurrent >= Self.fewestShared }

  /// A host takes another place only while it holds fewer than this, when so many are free.
  func places(free: Int) -> Int {
    // One that holds none may take the last.
    areShared ? min(perHost, max(1, free)) : perHost
  }

  /// How many of a host's transfers may wait, when so many of all do, for another one to be accepted.
  ///
  /// A dynamic threshold again, as ``TransferQueue`` has it for places: a host has at most as many waiting as others still
  /// may, so that one alone gets half.
  func queuedPerHost(waiting: Int) -> Int {
    let free = max(0, queued - max(0, waiting))
    return areShared ? free : Int.max
  }
}
