import CalotypeCaching
import CalotypeSupport

/// The leases and the waits of a ``RedisCoordinator``.
final class FlightBook: Sendable {
  /// A lease that this node holds.
  struct Lease: Sendable {
    var key: CacheKey
    var token: [UInt8]
    var position: Int
    var host: String
    var start: Duration
    var nextRenewal: Duration
    var isRenewing = false
  }

  struct State {
    var leases: [Int: Lease] = [:]
    var waits: [CacheKey: [Int: Waiter<FlightState.Event>]] = [:]
    var inboxes: [String: CacheKey] = [:]
    var waiting = 0
    var nextID = 0
    var statistics = RedisCoordinator.Statistics()
    var durations: FlightDurations
  }

  let state: Lock<State>

  init(_ durations: FlightDurations) {
    state = Lock(State(durations: durations))
  }

  /// Registers a wait. Do it before the lease is looked at, so that no message is missed.
  ///
  /// - Returns: `nil` when too many wait.
  func wait(for key: CacheKey, limit: Int) -> (id: Int, waiter: Waiter<FlightState.Event>)? {
    let waiter = Waiter<FlightState.Event>()
    let id = state.withLock { state -> Int? in
      guard state.waiting < limit else { return nil }
      state.nextID += 1
      state.waiting += 1
      state.waits[key, default: [:]][state.nextID] = waiter
      state.inboxes[key.hexDigest] = key
      return state.nextID
    }
    return id.map { ($0, waiter) }
  }

  /// Removes a wait.
  func endWait(_ id: Int, for key: CacheKey) {
    state.withLock { state in
      guard state.waits[key]?.removeValue(forKey: id) != nil else { return }
      state.waiting -= 1
      guard state.waits[key]?.isEmpty == true else { return }
      state.waits[key] = nil
      state.inboxes[key.hexDigest] = nil
    }
  }

  /// A message has come: the digest of a key.
  func wake(_ payload: [UInt8]) {
    guard payload.count == 64 else { return }
    let digest = String(decoding: payload, as: UTF8.self)
    let waiters = state.withLock { state in
      state.inboxes[digest].flatMap { state.waits[$0] }.map { Array($0.values) } ?? []
    }
    var count = 0
    for waiter in waiters where waiter.resolve(.woken) { count += 1 }
    if count > 0 { state.withLock { $0.statistics.wakes += count } }
  }

  /// Adds a lease.
  func add(_ lease: Lease, isHedge: Bool) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.leases[state.nextID] = lease
      state.statistics.leads += 1
      if isHedge { state.statistics.hedges += 1 }
      return state.nextID
    }
  }

  /// Takes a lease out; `nil` when it is lost or has ended.
  func remove(_ id: Int) -> Lease? { state.withLock { $0.leases.removeValue(forKey: id) } }

  /// Returns the leases that are due for renewal.
  func takeDue(at now: Duration, interval: Duration) -> [(id: Int, lease: Lease)] {
    state.withLock { state in
      var due: [(id: Int, lease: Lease)] = []
      for (id, lease) in state.leases where lease.nextRenewal <= now && !lease.isRenewing {
        state.leases[id]?.nextRenewal = now + interval
        state.leases[id]?.isRenewing = true
        due.append((id, lease))
      }
      return due
    }
  }

  /// A renewal has ended.
  ///
  /// - Parameter isHeld: Whether the lease is still held; `nil` if it is unknown.
  func renewed(_ id: Int, isHeld: Bool?) {
    state.withLock { state in
      state.leases[id]?.isRenewing = false
      if isHeld == false, state.leases.removeValue(forKey: id) != nil { state.statistics.lost += 1 }
    }
  }
}
