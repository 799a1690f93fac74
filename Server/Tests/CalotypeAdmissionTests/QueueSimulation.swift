import Foundation
import SeededNumbers
import Testing

@testable import CalotypeAdmission

/// An open-loop load on an ``AdmissionQueue`` in simulated time, with all invariants checked after each event.
struct QueueSimulation {
  struct Load {
    /// Offered processor time by the processor time that the workers have.
    var factor: Double
    var seconds = 60.0
    var seed: UInt64 = 1
    /// The largest relative error of predictions.
    var error = 0.25
    var heavyShare = 0.1
    /// Whether the quiet sources have heavy jobs too.
    var quietIsMixed = true
    /// The part of the jobs that comes from the source that floods; two others share the rest.
    var floodShare = 0.9
  }

  struct Result {
    var offered = 0
    var finished = 0
    /// Processor time of jobs that ended before their deadline, by that of all workers.
    var goodput = 0.0
    var refusedAtOnce = 0
    var expired = 0
    /// Jobs that ended late, and the largest time by which one did so beyond the error of its own prediction.
    var late = 0
    var worstLateness = Duration.zero
    /// Waits of light jobs of the quiet sources, ascending.
    var quietWaits: [Duration] = []
    var quietRefused = 0
    var quietOffered = 0
    var allWaits: [Duration] = []
    var predictedDrain = Duration.zero
    /// The time from the last arrival until no job waits.
    var drain = Duration.zero
    var peakWaiting = 0

    func percentile(_ share: Double, of waits: [Duration]) -> Duration {
      waits.isEmpty ? .zero : waits[min(Int(Double(waits.count) * share), waits.count - 1)]
    }
  }

  private struct Job {
    let arrival: Duration
    let deadline: Duration
    let predicted: Duration
    let actual: Duration
    let byteCount: Int
    let isQuietAndLight: Bool
    let isQuiet: Bool
  }

  static let light = 3.0...13.0
  static let heavy = 80.0...240.0

  let load: Load
  var queue: AdmissionQueue
  private var random: Seeded
  private var jobs: [Int: Job] = [:]
  private var ends: [(time: Duration, id: Int)] = []
  private var started: Set<Int> = []
  private var ended: Set<Int> = []
  private var now = Duration.zero
  private var goodTime = Duration.zero
  private var result = Result()

  init(_ load: Load, _ configuration: AdmissionConfiguration) {
    self.load = load
    random = Seeded(load.seed)
    queue = AdmissionQueue(configuration)
  }

  mutating func run() -> Result {
    let mean = (1 - load.heavyShare) * 8 + load.heavyShare * 160
    let rate = load.factor * Double(queue.configuration.workers) * 1000 / mean
    var arrival = Duration.zero
    while true {
      // Exponential intervals: arrivals that do not wait for answers.
      arrival += .seconds(-log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random)) / rate)
      guard arrival < .seconds(load.seconds) else { break }
      pass(until: arrival)
      submit()
    }
    now = .seconds(load.seconds)
    result.predictedDrain = queue.predictedDrain(at: now)
    while queue.waitingCount > 0 {
      passToNext(until: nil)
      result.drain = now - .seconds(load.seconds)
    }
    while queue.runningCount > 0 { passToNext(until: nil) }
    #expect(started.count + queue.counts.refused.values.reduce(0, +) == result.offered)
    #expect(queue.sourceCount == 0 && queue.heldByteCount == 0 && queue.runningByteCount == 0)
    result.goodput = goodTime / .seconds(load.seconds) / Double(queue.configuration.workers)
    result.peakWaiting = queue.counts.peakWaiting
    result.quietWaits.sort()
    result.allWaits.sort()
    return result
  }

  private mutating func submit() {
    let isQuiet = Double.random(in: 0..<1, using: &random) >= load.floodShare
    let mayBeHeavy = !isQuiet || load.quietIsMixed
    let isHeavy = Double.random(in: 0..<1, using: &random) < load.heavyShare && mayBeHeavy
    let source = isQuiet ? (Bool.random(using: &random) ? "quiet-1" : "quiet-2") : "flood"
    let milliseconds = Double.random(in: isHeavy ? Self.heavy : Self.light, using: &random)
    let error = Double.random(in: (1 - load.error)...(1 + load.error), using: &random)
    let cost = AdmissionCost(
      milliseconds: milliseconds, byteCount: Int(milliseconds) << (isHeavy ? 21 : 20))
    let job = Job(
      arrival: now, deadline: now + .seconds(Double.random(in: 1...5, using: &random)),
      predicted: cost.duration, actual: cost.duration * error, byteCount: cost.byteCount,
      isQuietAndLight: isQuiet && !isHeavy, isQuiet: isQuiet)
    let (id, actions) = queue.submit(
      AdmissionJob(cost: cost, source: source, deadline: job.deadline, heldByteCount: 1000), at: now)
    #expect(jobs[id] == nil)
    jobs[id] = job
    result.offered += 1
    if isQuiet { result.quietOffered += 1 }
    perform(actions)
  }

  private mutating func pass(until time: Duration) {
    while let next = nextEvent(), next <= time { passToNext(until: time) }
    now = time
  }

  private func nextEvent() -> Duration? {
    let end = ends.map(\.time).min()
    guard let expiry = queue.nextExpiry else { return end }
    return min(end ?? expiry, expiry)
  }

  private mutating func passToNext(until time: Duration?) {
    guard let next = nextEvent() else {
      Issue.record("\(queue.waitingCount) jobs wait, and nothing happens any more")
      queue = AdmissionQueue(queue.configuration)
      return
    }
    now = max(now, next)
    if let index = ends.firstIndex(where: { $0.time <= now }) {
      let id = ends.remove(at: index).id
      #expect(ended.insert(id).inserted)
      if let job = jobs[id] {
        result.finished += 1
        if now <= job.deadline {
          goodTime += job.actual
        } else {
          result.late += 1
          result.worstLateness = max(
            result.worstLateness, now - job.deadline - (job.actual - job.predicted))
        }
        perform(queue.finish(id, actual: job.actual, at: now))
      }
    } else {
      perform(queue.tick(at: now))
    }
  }

  private mutating func perform(_ actions: [AdmissionAction]) {
    for action in actions {
      switch action {
      case .start(let id):
        #expect(started.insert(id).inserted && !ended.contains(id))
        guard let job = jobs[id] else { continue }
        ends.append((now + job.actual, id))
        result.allWaits.append(now - job.arrival)
        if job.isQuietAndLight { result.quietWaits.append(now - job.arrival) }
      case .refuse(let id, let refusal):
        #expect(!started.contains(id) && ended.insert(id).inserted)
        #expect((refusal.retryAfterSeconds ?? 0) >= 1)
        if refusal.reason == .expired { result.expired += 1 } else { result.refusedAtOnce += 1 }
        if jobs[id]?.isQuiet == true { result.quietRefused += 1 }
      }
    }
    queue.checkInvariants()
    #expect(queue.runningCount == ends.count)
  }
}

extension AdmissionQueue {
  /// Checks that no budget is exceeded and that no job is lost.
  func checkInvariants(_ location: SourceLocation = #_sourceLocation) {
    let refused = counts.refused.values.reduce(0, +)
    // One comparison, because each is an event of its own.
    let holds =
      runningCount <= configuration.workers && waitingCount <= configuration.maximumWaiting
      && (runningByteCount <= configuration.byteBudget || runningCount == 1)
      && heldByteCount <= configuration.maximumHeldBytes
      && counts.submitted == waitingCount + runningCount + counts.finished + counts.cancelled + refused
      && counts.started == runningCount + counts.finished && (waitingCount > 0) == (shares.waitingCost > 0)
    #expect(holds, "\(self.counts), \(waitingCount) wait, \(runningCount) run", sourceLocation: location)
  }
}
