import HeapModule

/// Transfers that wait for their turn: by priority, then in the order they came or the reverse, but past those whose
/// host is busy.
///
/// Pure. Every operation costs O(log n), amortised: whatever is put, moved or removed leaves at most one old entry
/// behind, which is skipped when its turn comes.
struct TransferQueue<ID: Hashable> {
  typealias Order = CurlLoader.Configuration.QueueOrder

  /// A place in the queue; the largest goes first.
  private struct Entry: Comparable {
    let priority: UInt8
    /// Larger for whoever goes first.
    let rank: Int
    let id: ID
    let host: String

    static func < (left: Entry, right: Entry) -> Bool {
      (left.priority, left.rank) < (right.priority, right.rank)
    }
    static func == (left: Entry, right: Entry) -> Bool {
      (left.priority, left.rank) == (right.priority, right.rank)
    }
  }

  private struct Host {
    var running = 0
    /// Entries whose turn came while the host was busy.
    var parked = Heap<Entry>()
  }

  var limit: Int
  private(set) var limitPerHost: Int
  private let order: Order
  /// Where each waiting transfer stands; entries that say something else are old.
  private var places: [ID: (priority: UInt8, rank: Int, host: String)] = [:]
  private var ready = Heap<Entry>()
  private var hosts: [String: Host] = [:]
  private var stamp = 0
  /// Transfers that were taken and have not finished.
  private(set) var running = 0

  init(limit: Int, limitPerHost: Int, order: Order = .fifo) {
    self.limit = max(1, limit)
    self.limitPerHost = max(1, limitPerHost)
    self.order = order
  }

  /// Transfers that wait.
  var count: Int { places.count }

  mutating func put(_ id: ID, host: String, priority: UInt8 = 0) {
    stamp += 1
    let rank = order == .fifo ? -stamp : stamp
    places[id] = (priority, rank, host)
    ready.insert(Entry(priority: priority, rank: rank, id: id, host: host))
  }

  /// The next transfer that may start; it counts as running from now on.
  mutating func take() -> ID? {
    guard running < limit else { return nil }
    while let entry = ready.popMax() {
      guard isCurrent(entry) else { continue }
      if hosts[entry.host]?.running ?? 0 >= limitPerHost {
        hosts[entry.host]?.parked.insert(entry)
        continue
      }
      places[entry.id] = nil
      hosts[entry.host, default: Host()].running += 1
      running += 1
      return entry.id
    }
    return nil
  }

  /// A running transfer has ended.
  mutating func finished(host: String) {
    running -= 1
    hosts[host]?.running -= 1
    unpark(host)
  }

  /// Takes a waiting transfer out. False if it does not wait.
  @discardableResult mutating func remove(_ id: ID) -> Bool {
    guard let place = places.removeValue(forKey: id) else { return false }
    forgetOld(place.host)
    // It may have been the one that stood in line for its host.
    unpark(place.host)
    return true
  }

  /// Gives a waiting transfer another priority. It goes behind all that have that one already, in either order: whoever
  /// is moved up and down again has not overtaken those that were not.
  mutating func prioritise(_ id: ID, _ priority: UInt8) {
    guard let place = places[id], place.priority != priority else { return }
    stamp += 1
    let rank = -stamp
    places[id] = (priority, rank, place.host)
    ready.insert(Entry(priority: priority, rank: rank, id: id, host: place.host))
    forgetOld(place.host)
    // It may have stood in line for its host, and no longer be the first.
    unpark(place.host)
  }

  /// Changes the limits. Those that run go on; more start as soon as there is room.
  mutating func setLimits(_ limit: Int, perHost: Int) {
    self.limit = max(1, limit)
    limitPerHost = max(1, perHost)
    for host in Array(hosts.keys) { unpark(host) }
  }

  private func isCurrent(_ entry: Entry) -> Bool {
    guard let place = places[entry.id] else { return false }
    return place.priority == entry.priority && place.rank == entry.rank
  }

  /// Lets as many of a host's parked entries stand in line again as may run.
  private mutating func unpark(_ host: String) {
    guard var entry = hosts.removeValue(forKey: host) else { return }
    var room = limitPerHost - entry.running
    while room > 0, let parked = entry.parked.popMax() {
      guard isCurrent(parked) else { continue }
      ready.insert(parked)
      room -= 1
    }
    if entry.running > 0 || !entry.parked.isEmpty { hosts[host] = entry }
  }

  /// Keeps old entries from outnumbering the others.
  private mutating func forgetOld(_ host: String) {
    if ready.count > 2 * places.count + 64 {
      let current = ready.unordered.filter(isCurrent)
      ready = Heap(current)
    }
    guard let parked = hosts[host]?.parked, parked.count > 2 * places.count + 64 else { return }
    let current = parked.unordered.filter(isCurrent)
    hosts[host]?.parked = Heap(current)
  }
}
