import CalotypeSupport

/// The queue of transfers that wait for a slot, and the slots that each host holds.
///
/// Hosts take turns (fair queueing) if their first transfers have the same priority: a host with thousands of transfers
/// delays another by one. Among the transfers of a host the highest priority goes first, and then the first or the last
/// in. To prevent starvation, every ``agingInterval``th turn that would pass over an older transfer of lower priority
/// goes to the oldest of all.
///
/// Besides the fixed limit per host there is a dynamic threshold (A. K. Choudhury and E. L. Hahne, "Dynamic Queue
/// Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6(2), 1998, with α = 1): a
/// host that holds slots takes another one only while it holds fewer than are free. Slow hosts thus leave slots to
/// others: of n such hosts, each gets 1/(n + 1) of the slots.
///
/// Pure. Operations cost O(log n) of the waiting transfers, and ``take()`` examines each different number of slots that
/// hosts hold, fewer than √(2 × limit). While there are slots for all, nothing is sorted.
struct TransferQueue<ID: Hashable> {
  typealias Order = CurlLoader.Configuration.QueueOrder

  /// One in this many turns that would pass over an older transfer goes to the oldest.
  static var agingInterval: Int { 8 }

  /// The larger one goes first.
  private struct Standing: Comparable {
    let priority: UInt8
    let rank: Int

    static func < (left: Standing, right: Standing) -> Bool {
      (left.priority, left.rank) < (right.priority, right.rank)
    }
  }

  private struct Host {
    /// Slots that it holds.
    var running = 0
    /// The stamp of its last turn, or of the time it began to wait.
    var turn = 0
    var waiting = IndexedHeap<ID, Standing>()
    /// The same transfers, the oldest first.
    var ages = IndexedHeap<ID, Int>()
  }

  /// Hosts with waiting transfers that hold the same number of slots.
  private struct Level {
    /// By the priority of their first transfers, then by the least recent turn.
    var turns = IndexedHeap<String, Standing>()
    /// By the age of their oldest transfers.
    var ages = IndexedHeap<String, Int>()
  }

  private(set) var limits: TransferLimits
  private let order: Order
  /// The host of each waiting transfer.
  private var hostOf: [ID: String] = [:]
  private var hosts: [String: Host] = [:]
  private var levels: [Int: Level] = [:]
  private var stamp = 0
  /// Turns that passed over an older transfer since the oldest had its turn.
  private var overtakings = 0
  /// Transfers that were taken and have not ended.
  private(set) var running = 0
  /// Transfers that arrived while none waited. They are not sorted yet, because there may be slots for all.
  private var fresh: [Fresh] = []
  /// Whether there are slots for all of them.
  private var hasRoomForFresh = false

  private struct Fresh {
    let id: ID
    let host: String
    let priority: UInt8
  }

  init(limits: TransferLimits, order: Order = .fifo) {
    self.limits = limits
    self.order = order
  }

  /// Transfers that wait.
  var count: Int { hostOf.count + fresh.count }

  mutating func put(_ id: ID, host: String, priority: UInt8 = 0) {
    if hostOf.isEmpty, !hasRoomForFresh {
      fresh.append(Fresh(id: id, host: host, priority: priority))
      return
    }
    orderFresh()
    line(id, host: host, priority: priority)
  }

  /// Sorts the unsorted transfers into the queue.
  private mutating func orderFresh() {
    guard !fresh.isEmpty else { return }
    let all = hasRoomForFresh ? fresh.reversed() : fresh
    fresh = []
    hasRoomForFresh = false
    for transfer in all { line(transfer.id, host: transfer.host, priority: transfer.priority) }
  }

  /// Whether the unsorted transfers would start in order of arrival.
  private var isInOrder: Bool {
    fresh.count == 1 || (order == .fifo && fresh.allSatisfy { $0.priority == fresh[0].priority })
  }

  /// Takes an unsorted transfer if all of them can start; otherwise sorts them into the queue.
  private mutating func takeFresh() -> ID? {
    if !hasRoomForFresh, !fresh.isEmpty {
      let free = limits.concurrent - running
      let others = fresh.count - 1
      // As if all of them belonged to one host.
      let places = limits.places(free: free - others)
      hasRoomForFresh =
        free > others && isInOrder
        && fresh.allSatisfy { (hosts[$0.host]?.running ?? 0) + others < places }
      guard hasRoomForFresh else {
        orderFresh()
        return nil
      }
      // The first one is taken from the end.
      fresh.reverse()
    }
    guard let transfer = fresh.popLast() else { return nil }
    if fresh.isEmpty { hasRoomForFresh = false }
    stamp += 1
    running += 1
    hosts[transfer.host, default: Host()].running += 1
    return transfer.id
  }

  private mutating func line(_ id: ID, host: String, priority: UInt8) {
    stamp += 1
    let (stamp, order) = (self.stamp, self.order)
    hostOf[id] = host
    change(host) { host in
      // Behind all waiting hosts.
      if host.waiting.isEmpty { host.turn = stamp }
      host.waiting.update(id, Standing(priority: priority, rank: order == .fifo ? -stamp : stamp))
      host.ages.update(id, -stamp)
    }
  }

  /// Takes the next transfer that may start. It holds a slot from now on.
  mutating func take() -> ID? {
    if let id = takeFresh() { return id }
    let free = limits.concurrent - running
    guard free > 0, let id = next(limits.places(free: free)), let host = hostOf.removeValue(forKey: id) else {
      return nil
    }
    stamp += 1
    running += 1
    let stamp = self.stamp
    change(host) { host in
      host.waiting.remove(id)
      host.ages.remove(id)
      host.running += 1
      host.turn = stamp
    }
    return id
  }

  /// A transfer of `host` releases its slot.
  mutating func finished(host: String) {
    running -= 1
    if hostOf.isEmpty {
      hosts[host]?.running -= 1
      if hosts[host]?.running == 0 { hosts[host] = nil }
    } else {
      change(host) { $0.running -= 1 }
    }
  }

  /// Removes a waiting transfer. Returns `false` if it does not wait.
  @discardableResult mutating func remove(_ id: ID) -> Bool {
    orderFresh()
    guard let host = hostOf.removeValue(forKey: id) else { return false }
    change(host) { host in
      host.waiting.remove(id)
      host.ages.remove(id)
    }
    return true
  }

  /// Changes the priority of a waiting transfer. It goes behind all of its host that already have that priority, in
  /// either order, so that a transfer that moves up and down again overtakes none.
  mutating func prioritise(_ id: ID, _ priority: UInt8) {
    orderFresh()
    guard let host = hostOf[id], hosts[host]?.waiting[id]?.priority != priority else { return }
    stamp += 1
    let standing = Standing(priority: priority, rank: -stamp)
    change(host) { $0.waiting.update(id, standing) }
  }

  /// Changes the limits. Running transfers continue; more start as soon as there is room.
  mutating func setLimits(_ limits: TransferLimits) {
    self.limits = limits
    orderFresh()
  }

  /// Returns the transfer whose turn it is, among hosts that hold fewer than `places` slots.
  private mutating func next(_ places: Int) -> ID? {
    var turn: (id: String, key: Standing)?
    var oldest: (id: String, key: Int)?
    for (held, level) in levels where held < places {
      if let first = level.turns.first, turn.map({ $0.key < first.key }) ?? true { turn = first }
      if let first = level.ages.first, oldest.map({ $0.key < first.key }) ?? true { oldest = first }
    }
    guard let turn, let oldest, let host = hosts[oldest.id], let old = host.ages.first?.id else { return nil }
    if let standing = host.waiting[old], standing.priority < turn.key.priority {
      overtakings += 1
      if overtakings == Self.agingInterval {
        overtakings = 0
        return old
      }
    }
    return hosts[turn.id]?.waiting.first?.id
  }

  /// Changes a host and updates its place in the queue.
  private mutating func change(_ name: String, _ body: (inout Host) -> Void) {
    // Removed from the dictionary meanwhile, so that its heaps are not copied.
    var host = hosts.removeValue(forKey: name) ?? Host()
    let before = host.waiting.isEmpty ? nil : host.running
    body(&host)
    let after = host.waiting.isEmpty ? nil : host.running
    if let before, before != after {
      levels[before]?.turns.remove(name)
      levels[before]?.ages.remove(name)
      if levels[before]?.turns.isEmpty == true { levels[before] = nil }
    }
    if let after, let first = host.waiting.first?.key, let age = host.ages.first?.key {
      levels[after, default: Level()].turns.update(name, Standing(priority: first.priority, rank: -host.turn))
      levels[after, default: Level()].ages.update(name, age)
    }
    if host.running > 0 || !host.waiting.isEmpty { hosts[name] = host }
  }
}
