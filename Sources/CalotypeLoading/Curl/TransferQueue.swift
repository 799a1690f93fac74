/// Transfers that wait for their turn: first in, first out, but past those whose host is busy.
///
/// Pure. Putting in costs O(1), taking O(hosts that have something waiting), removing O(waiting for that
/// host).
struct TransferQueue<ID: Hashable> {
  private struct Host {
    var running = 0
    var waiting: [(order: UInt64, id: ID)] = []
    var first = 0

    var isEmpty: Bool { first == waiting.count }

    mutating func pop() -> ID {
      let id = waiting[first].id
      first += 1
      if first == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        first = 0
      } else if first >= 64, first * 2 >= waiting.count {
        waiting.removeFirst(first)
        first = 0
      }
      return id
    }
  }

  let limit: Int
  let limitPerHost: Int
  /// Transfers that wait.
  private(set) var count = 0
  /// Transfers that were taken and have not finished.
  private(set) var running = 0
  private var hosts: [String: Host] = [:]
  private var order: UInt64 = 0

  init(limit: Int, limitPerHost: Int) {
    self.limit = max(1, limit)
    self.limitPerHost = max(1, limitPerHost)
  }

  mutating func put(_ id: ID, host: String) {
    hosts[host, default: Host()].waiting.append((order, id))
    order += 1
    count += 1
  }

  /// The next transfer that may start; it counts as running from now on.
  mutating func take() -> ID? {
    guard running < limit, count > 0 else { return nil }
    var best: (order: UInt64, host: String)?
    for (name, host) in hosts where host.running < limitPerHost && !host.isEmpty {
      let order = host.waiting[host.first].order
      if best.map({ order < $0.order }) ?? true { best = (order, name) }
    }
    guard let name = best?.host, let id = hosts[name]?.pop() else { return nil }
    hosts[name]?.running += 1
    running += 1
    count -= 1
    return id
  }

  /// A running transfer has ended.
  mutating func finished(host: String) {
    running -= 1
    hosts[host]?.running -= 1
    drop(host)
  }

  /// Takes a waiting transfer out. False if it does not wait.
  mutating func remove(_ id: ID, host: String) -> Bool {
    guard let entry = hosts[host],
      let index = entry.waiting[entry.first...].firstIndex(where: { $0.id == id })
    else { return false }
    hosts[host]?.waiting.remove(at: index)
    count -= 1
    drop(host)
    return true
  }

  private mutating func drop(_ host: String) {
    if let entry = hosts[host], entry.running == 0, entry.isEmpty { hosts[host] = nil }
  }
}
