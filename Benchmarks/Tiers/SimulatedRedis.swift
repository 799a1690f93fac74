import CalotypeCaching
import CalotypeTiers

/// A Redis that runs the scripts of leases, on a virtual clock. The decisions of the scripts are here in Swift.
final class SimulatedRedis {
  private struct Entry {
    var ends: Double
    /// Of a lease: when it began, its tokens.
    var born = 0.0
    var owner = 0
    var second = 0
    /// Of an outcome: the position, and that of the value, if it was passed on.
    var outcome: FlightOutcome?
    var position = 0
  }

  private var entries: [Int: Entry] = [:]
  private var waiters: [Int: Set<Int>] = [:]

  /// Forgets everything.
  func restart() {
    entries = [:]
    waiters = [:]
  }

  func acquire(
    _ key: Int, token: Int, node: Int?, position: Int, lease: Double, slowAge: Double?, now: Double
  ) -> (answer: FlightState.Answer, position: Int) {
    if let entry = entries[key], entry.ends > now {
      if let outcome = entry.outcome {
        if entry.position >= position { return (.outcome(outcome), entry.position) }
      } else {
        let age = now - entry.born
        if let slowAge, age >= slowAge, entry.second == 0 {
          entries[key]?.second = token
          entries[key]?.ends = now + lease
          return (.lead(isHedge: true), 0)
        }
        if let node { waiters[key, default: []].insert(node) }
        return (.held(age: .seconds(age), left: .seconds(entry.ends - now)), 0)
      }
    }
    entries[key] = Entry(ends: now + lease, born: now, owner: token)
    return (.lead(isHedge: false), 0)
  }

  func renew(_ key: Int, token: Int, lease: Double, now: Double) -> Bool {
    guard let entry = entries[key], entry.ends > now, entry.outcome == nil,
      entry.owner == token || entry.second == token
    else { return false }
    entries[key]?.ends = now + lease
    return true
  }

  /// Returns the nodes that are told.
  func release(
    _ key: Int, token: Int, outcome: FlightOutcome?, position: Int, lifetime: Double, now: Double
  ) -> [Int] {
    guard let entry = entries[key], entry.ends > now, entry.outcome == nil,
      entry.owner == token || entry.second == token
    else { return [] }
    if outcome == nil, entry.second != 0 {
      entries[key]?.owner = entry.owner == token ? entry.second : entry.owner
      entries[key]?.second = 0
      return []
    }
    if let outcome {
      entries[key] = Entry(ends: now + lifetime, outcome: outcome, position: position)
    } else {
      entries[key] = nil
    }
    return waiters.removeValue(forKey: key)?.sorted() ?? []
  }
}
