import Calotype
import Synchronization

/// What happened: who waits still, how callers ended, and which bounds were broken.
final class SoakRecord: Sendable {
  /// A bound that was broken, perhaps many times.
  struct Breach: Encodable, Sendable {
    /// Which bound.
    let what: String
    /// What the disk was doing.
    let phase: String
    /// Seconds after the start, the first time.
    let at: Double
    /// The worst.
    var value: Double
    let bound: Double
    /// More about the first time.
    let detail: String
    var count = 1
  }

  /// A caller who has no ending yet.
  private struct Waiting {
    let plan: SoakPlan
    let since: Duration
    var isOverdue = false
  }

  private struct State {
    var breaches: [Breach] = []
    var waiting: [Int: Waiting] = [:]
    var nextID = 0
    var phase = SoakDisk.Phase.healthy
    var round = 0
    var requests: [SoakKind: Int] = [:]
    var endings: [SoakEnding: Int] = [:]
    var canaries: [SoakDisk.Phase: [Duration]] = [:]
  }

  private let state = Mutex(State())
  private let start = ContinuousClock.now

  /// Time since the start.
  var elapsed: Duration { start.duration(to: .now) }

  /// What the disk is doing.
  var phase: SoakDisk.Phase { state.withLock { $0.phase } }
  /// How many states of the disk there have been.
  var round: Int { state.withLock { $0.round } }

  /// The disk does something else from now on.
  func enter(_ phase: SoakDisk.Phase, round: Int) {
    state.withLock { state in
      state.phase = phase
      state.round = round
    }
  }

  var breaches: [Breach] { state.withLock { $0.breaches } }
  var waitingCallers: Int { state.withLock { $0.waiting.count } }
  var requests: [SoakKind: Int] { state.withLock { $0.requests } }
  var endings: [SoakEnding: Int] { state.withLock { $0.endings } }
  /// Latencies of the canary, by what the disk was doing when it was sent.
  var canaries: [SoakDisk.Phase: [Duration]] { state.withLock { $0.canaries } }

  /// A bound was broken. Only the first time and the worst value are kept for each phase of the disk.
  func breach(
    _ what: String, _ value: Double, bound: Double, detail: String = "", in phase: SoakDisk.Phase? = nil
  ) {
    let now = elapsed / .seconds(1)
    state.withLock { state in
      let phase = (phase ?? state.phase).rawValue
      if let index = state.breaches.firstIndex(where: { $0.what == what && $0.phase == phase }) {
        state.breaches[index].value = max(state.breaches[index].value, value)
        state.breaches[index].count += 1
      } else {
        state.breaches.append(
          Breach(what: what, phase: phase, at: now, value: value, bound: bound, detail: detail))
      }
    }
  }

  /// A breach if a value is above its bound.
  func check(_ what: String, _ value: Int, bound: Int) {
    if value > bound { breach(what, Double(value), bound: Double(bound)) }
  }

  // MARK: Callers

  /// A caller begins to wait.
  ///
  /// - Returns: What to end it by.
  func begin(_ plan: SoakPlan) -> Int {
    let now = elapsed
    return state.withLock { state in
      state.nextID += 1
      state.waiting[state.nextID] = Waiting(plan: plan, since: now)
      state.requests[plan.kind, default: 0] += 1
      return state.nextID
    }
  }

  /// The caller has its ending.
  func end(_ id: Int, _ plan: SoakPlan, _ result: Result<Image, any Error>) {
    let now = elapsed
    let (ending, objection) = plan.ending(result)
    let waiting = state.withLock { state in
      state.endings[ending, default: 0] += 1
      return state.waiting.removeValue(forKey: id)
    }
    if let objection {
      breach(
        "wrong ending of \(plan.kind.rawValue)", 1, bound: 0, detail: "number \(plan.number): \(objection)")
    }
    guard let waiting else { return }
    let took = now - waiting.since
    if took > plan.limit {
      breach(
        "late ending of \(plan.kind.rawValue), seconds", took / .seconds(1), bound: plan.limit / .seconds(1),
        detail:
          "number \(plan.number), deadline \(plan.deadline as Any), left after \(plan.leavesAfter as Any)")
    }
  }

  /// Looks for callers who should have an ending by now.
  func checkOverdue() {
    let now = elapsed
    let overdue = state.withLock { state in
      var found: [(plan: SoakPlan, waited: Duration)] = []
      for (id, waiting) in state.waiting where !waiting.isOverdue && now - waiting.since > waiting.plan.limit
      {
        state.waiting[id]?.isOverdue = true
        found.append((waiting.plan, now - waiting.since))
      }
      return found
    }
    for (plan, waited) in overdue {
      breach(
        "\(plan.kind.rawValue) without an ending, seconds", waited / .seconds(1),
        bound: plan.limit / .seconds(1), detail: "number \(plan.number)")
    }
  }

  // MARK: Canary

  /// A canary came back.
  func canary(_ latency: Duration, in phase: SoakDisk.Phase) {
    state.withLock { $0.canaries[phase, default: []].append(latency) }
  }

  /// The latency that 99 of 100 do not exceed.
  static func percentile99(_ latencies: [Duration]) -> Duration {
    let sorted = latencies.sorted()
    return sorted.isEmpty ? .zero : sorted[max(0, (sorted.count * 99 + 99) / 100 - 1)]
  }
}
