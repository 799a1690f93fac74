import Testing

@testable import CalotypeAdmission

@Suite("A queue of admission, step by step")
struct AdmissionQueueTests {
  static func job(
    _ milliseconds: Double, _ source: String = "a", bytes: Int = 1, deadline: Duration? = nil, held: Int = 0
  ) -> AdmissionJob {
    AdmissionJob(
      cost: AdmissionCost(milliseconds: milliseconds, byteCount: bytes), source: source, deadline: deadline,
      heldByteCount: held)
  }

  static func queue(
    workers: Int = 1, bytes: Int = 100, _ change: (inout AdmissionConfiguration) -> Void = { _ in }
  ) -> AdmissionQueue {
    var configuration = AdmissionConfiguration(workers: workers, byteBudget: bytes)
    configuration.maximumWait = nil
    change(&configuration)
    return AdmissionQueue(configuration)
  }

  @Test func workThatTakesTooLongIsRefusedForGood() {
    var configuration = AdmissionConfiguration(workers: 2, byteBudget: 1 << 30)
    configuration.maximumDuration = .seconds(10)
    var queue = AdmissionQueue(configuration)
    for (seconds, isRefused) in [(10, false), (11, true)] {
      let job = AdmissionJob(
        cost: AdmissionCost(duration: .seconds(seconds), byteCount: 1), source: "a", deadline: .seconds(8))
      guard case .refuse(_, let refusal)? = queue.submit(job, at: .zero).actions.first else {
        Issue.record("a job of \(seconds) s was accepted")
        continue
      }
      #expect((refusal.reason == .tooLarge) == isRefused)
      #expect((refusal.retryAfter == nil) == isRefused)
    }
  }

  /// Sources are not loaded for jobs that would wait long: but for those of a source that has nothing in the queue.
  @Test func nothingIsPreparedInVain() {
    var queue = Self.queue(workers: 2, bytes: 1000) { $0.maximumWait = .seconds(16) }
    #expect(queue.refusal(from: "a", at: .zero) == nil)
    for _ in 0..<17 { _ = queue.submit(Self.job(1000, "a"), at: .zero) }
    // Fifteen wait.
    #expect(queue.refusal(from: "a", at: .zero) == nil)
    for _ in 0..<9 { _ = queue.submit(Self.job(1000, "a"), at: .zero) }
    #expect(queue.refusal(from: "a", at: .zero)?.reason == .overloaded)
    #expect(queue.refusal(from: "a", at: .zero)?.retryAfter.map { $0 > .seconds(5) } == true)
    #expect(queue.counts.refused[.overloaded] == 2)
    #expect(queue.refusal(from: "b", at: .zero) == nil)
    var light = Self.queue(workers: 2, bytes: 1000) { $0.maximumWait = .seconds(2) }
    for _ in 0..<40 { _ = light.submit(Self.job(1, "a"), at: .zero) }
    #expect(light.refusal(from: "a", at: .zero) == nil)
  }

  /// Ends the running jobs one after the other. Returns the order in which the others started.
  static func order(_ queue: inout AdmissionQueue, from first: Int, at now: Duration = .zero) -> [Int] {
    var order: [Int] = []
    var running = [first]
    while !running.isEmpty {
      for action in queue.finish(running.removeFirst(), at: now) {
        guard case .start(let id) = action else { continue }
        order.append(id)
        running.append(id)
      }
      queue.checkInvariants()
    }
    return order
  }

  static func refusal(_ actions: [AdmissionAction]) -> AdmissionRefusal? {
    actions.lazy.compactMap { action in
      if case .refuse(_, let refusal) = action { return refusal }
      return nil
    }.first
  }

  @Test func freeWorkersStartAtOnce() {
    var queue = Self.queue(workers: 2)
    #expect(queue.submit(Self.job(10), at: .zero).actions == [.start(1)])
    #expect(queue.submit(Self.job(10), at: .zero).actions == [.start(2)])
    #expect(queue.submit(Self.job(10), at: .zero).actions == [])
    #expect(queue.finish(1, at: .milliseconds(10)) == [.start(3)])
    // A second end of the same job, and that of an unknown one, say nothing.
    #expect(queue.finish(1, at: .milliseconds(10)) == [] && queue.finish(99, at: .milliseconds(10)) == [])
    #expect(queue.counts.finished == 1 && queue.runningCount == 2)
  }

  @Test func shortJobsGoFirstAndWaitingCountsDouble() {
    var queue = Self.queue()
    _ = queue.submit(Self.job(10), at: .zero)
    _ = queue.submit(Self.job(100), at: .zero)  // 2: 100
    _ = queue.submit(Self.job(20), at: .milliseconds(30))  // 3: 20 + 60
    _ = queue.submit(Self.job(20), at: .milliseconds(39))  // 4: 20 + 78
    _ = queue.submit(Self.job(20), at: .milliseconds(41))  // 5: 20 + 82, behind 2
    #expect(Self.order(&queue, from: 1, at: .milliseconds(50)) == [3, 4, 2, 5])
  }

  @Test func eachSourceHasItsShare() {
    var queue = Self.queue()
    _ = queue.submit(Self.job(10, "flood"), at: .zero)
    for _ in 0..<6 { _ = queue.submit(Self.job(10, "flood"), at: .zero) }  // 2…7
    for _ in 0..<2 { _ = queue.submit(Self.job(10, "quiet"), at: .zero) }  // 8, 9
    #expect(Self.order(&queue, from: 1) == [2, 8, 3, 9, 4, 5, 6, 7])
  }

  /// What a source has used counts, not the number of its jobs.
  @Test func expensiveJobsUseUpTheShareOfTheirSource() {
    var queue = Self.queue()
    _ = queue.submit(Self.job(1, "x"), at: .zero)
    for _ in 0..<2 { _ = queue.submit(Self.job(30, "heavy"), at: .zero) }  // 2, 3
    for _ in 0..<6 { _ = queue.submit(Self.job(10, "light"), at: .zero) }  // 4…9
    #expect(Self.order(&queue, from: 1) == [4, 5, 2, 6, 7, 8, 3, 9])
  }

  /// The difference between predicted and actual cost is charged as well.
  @Test func underestimatedJobsAreChargedAtTheirEnd() {
    var queue = Self.queue()
    _ = queue.submit(Self.job(10, "a"), at: .zero)
    for _ in 0..<2 { _ = queue.submit(Self.job(10, "a"), at: .zero) }  // 2, 3
    for _ in 0..<3 { _ = queue.submit(Self.job(12, "b"), at: .zero) }  // 4…6
    var other = queue
    #expect(Self.order(&other, from: 1) == [2, 4, 3, 5, 6])
    let actions = queue.finish(1, actual: .milliseconds(40), at: .zero)
    #expect(actions == [.start(4)])
    #expect(Self.order(&queue, from: 4) == [5, 6, 2, 3])
  }

  @Test func jobsThatDoNotFitAreOvertakenAFewTimesOnly() {
    var queue = Self.queue(workers: 2, bytes: 100) { $0.maximumPasses = 3 }
    _ = queue.submit(Self.job(10, bytes: 60), at: .zero)  // 1
    _ = queue.submit(Self.job(10, bytes: 60), at: .zero)  // 2 does not fit
    #expect(queue.runningCount == 1 && queue.waitingCount == 1)
    for id in 3...5 {
      #expect(queue.submit(Self.job(10, bytes: 40), at: .zero).actions == [.start(id)])
      #expect(queue.finish(id, at: .zero) == [])
    }
    // All wait for it now.
    #expect(queue.submit(Self.job(10, bytes: 40), at: .zero).actions == [])
    #expect(queue.finish(1, at: .zero) == [.start(2), .start(6)])
  }

  @Test func standstill() {
    var queue = Self.queue()
    #expect(queue.standstill(at: .seconds(100)) == .zero)
    _ = queue.submit(Self.job(10), at: .seconds(100))  // 1 runs
    _ = queue.submit(Self.job(10), at: .seconds(102))  // 2 waits
    #expect(queue.standstill(at: .seconds(103)) == .seconds(3))
    _ = queue.finish(1, at: .seconds(104))
    #expect(queue.standstill(at: .seconds(106)) == .seconds(2))
    _ = queue.finish(2, at: .seconds(107))
    #expect(queue.standstill(at: .seconds(200)) == .zero)
  }

  @Test func oversizedJobsRunAlone() {
    var queue = Self.queue(workers: 3, bytes: 100) { $0.oversize = .runAlone(upTo: 150) }
    _ = queue.submit(Self.job(10, bytes: 10), at: .zero)
    #expect(queue.submit(Self.job(1, bytes: 120), at: .zero).actions == [])
    #expect(Self.refusal(queue.submit(Self.job(1, bytes: 151), at: .zero).actions)?.reason == .tooLarge)
    #expect(queue.finish(1, at: .zero) == [.start(2)])
    #expect(queue.submit(Self.job(10, bytes: 1), at: .zero).actions == [])
    #expect(queue.finish(2, at: .zero) == [.start(4)])
  }

  @Test func refusals() throws {
    var queue = Self.queue {
      $0.maximumWaiting = 3
      $0.maximumHeldBytes = 10
      $0.plannedShare = 0.5
    }
    let tooLarge = try #require(Self.refusal(queue.submit(Self.job(10, bytes: 101), at: .zero).actions))
    #expect(tooLarge.status == 422 && tooLarge.retryAfterSeconds == nil && !tooLarge.isRetryable)
    // Free, but too slow for its deadline.
    let slow = queue.submit(Self.job(11, deadline: .milliseconds(10)), at: .zero)
    #expect(Self.refusal(slow.actions)?.reason == .overloaded)
    _ = queue.submit(Self.job(1500), at: .zero)
    // 1.5 s of wait in half of 2.9 s.
    let late = queue.submit(Self.job(1, deadline: .milliseconds(2900)), at: .zero)
    #expect(Self.refusal(late.actions)?.status == 503 && Self.refusal(late.actions)?.retryAfterSeconds == 2)
    #expect(queue.submit(Self.job(1, deadline: .milliseconds(3100)), at: .zero).actions == [])
    _ = queue.submit(Self.job(1, held: 10), at: .zero)
    #expect(Self.refusal(queue.submit(Self.job(1, held: 1), at: .zero).actions)?.reason == .queueFull)
    _ = queue.submit(Self.job(1), at: .zero)
    #expect(Self.refusal(queue.submit(Self.job(1), at: .zero).actions)?.status == 429)
    queue.close()
    #expect(Self.refusal(queue.submit(Self.job(1), at: .zero).actions)?.reason == .closed)
    #expect(queue.waitingCount == 3)
    queue.checkInvariants()
  }

  @Test func waitsAreBoundedByPredictedTime() {
    var queue = Self.queue(workers: 2) { $0.maximumWait = .milliseconds(100) }
    var accepted = 0
    for _ in 0..<100 where Self.refusal(queue.submit(Self.job(10), at: .zero).actions) == nil {
      accepted += 1
    }
    // Two run for 10 ms, and 19 wait; another would wait for 19 × 10 / 2 ms after that.
    #expect(accepted == 21)
    // Another source has its own share.
    #expect(Self.refusal(queue.submit(Self.job(10, "b"), at: .zero).actions) == nil)
  }

  @Test func waitingJobsExpire() {
    var queue = Self.queue { $0.plannedShare = 1 }
    _ = queue.submit(Self.job(50), at: .zero)
    _ = queue.submit(Self.job(10, deadline: .milliseconds(100)), at: .zero)
    #expect(queue.nextExpiry == .milliseconds(90) + .nanoseconds(1))
    #expect(queue.tick(at: .milliseconds(90)) == [])
    let actions = queue.tick(at: .milliseconds(91))
    #expect(Self.refusal(actions)?.reason == .expired && actions.count == 1)
    #expect(queue.nextExpiry == nil && queue.finish(1, at: .milliseconds(95)) == [])
  }

  @Test func cancelledJobsMakeRoom() {
    var queue = Self.queue(workers: 2, bytes: 100) { $0.maximumPasses = 0 }
    _ = queue.submit(Self.job(10, bytes: 60), at: .zero)
    _ = queue.submit(Self.job(10, bytes: 60), at: .zero)
    _ = queue.submit(Self.job(20, bytes: 40), at: .zero)
    let (wasWaiting, actions) = queue.cancel(2, at: .zero)
    #expect(wasWaiting && actions == [.start(3)])
    #expect(!queue.cancel(2, at: .zero).wasWaiting && !queue.cancel(1, at: .zero).wasWaiting)
  }

  @Test func budgetsChangeAtRunTime() {
    var queue = Self.queue(workers: 1, bytes: 100)
    for _ in 0..<3 { _ = queue.submit(Self.job(10, bytes: 40), at: .zero) }
    _ = queue.submit(Self.job(10, bytes: 90), at: .zero)
    #expect(queue.setBudgets(workers: 4, byteBudget: 100, at: .zero) == [.start(2)])
    // Two jobs of 40 bytes run, and one of 90 can never run.
    let actions = queue.setBudgets(workers: 1, byteBudget: 50, at: .zero)
    #expect(actions == [])
    #expect(queue.finish(1, at: .zero) == [])
    let rest = queue.finish(2, at: .zero)
    #expect(rest.first == .start(3))
    #expect(Self.refusal(queue.finish(3, at: .zero))?.reason == .tooLarge)
    #expect(queue.waitingCount == 0 && queue.runningCount == 0 && queue.configuration.workers == 1)
  }

  @Test func nonsenseIsBounded() {
    let costs = [Double.nan, .infinity, -.infinity, -1, 1e300].map {
      AdmissionCost(milliseconds: $0, byteCount: .min)
    }
    #expect(costs.allSatisfy { $0.byteCount == 0 && $0.milliseconds >= 0 && $0.milliseconds <= 3_600_000 })
    #expect(costs[0].duration == AdmissionCost.maximumDuration && costs[2].milliseconds <= 0.001)
    var configuration = AdmissionConfiguration(workers: .min, byteBudget: .max)
    configuration.plannedShare = .nan
    configuration.maximumWaiting = .max
    configuration.oversize = .runAlone(upTo: .max)
    var queue = AdmissionQueue(configuration)
    #expect(queue.configuration.workers == 1 && queue.configuration.maximumWaiting == 1_000_000)
    let endless = Duration.seconds(Int64.max)
    for source in ["", String(repeating: "é", count: 10_000)] {
      for deadline in [nil, .zero - endless, .zero, endless] {
        let cost = AdmissionCost(duration: endless, byteCount: .max)
        let job = AdmissionJob(cost: cost, source: source, deadline: deadline, heldByteCount: .max)
        _ = queue.submit(job, at: endless)
        _ = queue.submit(Self.job(.infinity, source, deadline: deadline, held: .min), at: .zero - endless)
        queue.checkInvariants()
      }
    }
    _ = queue.finish(1, actual: endless, at: endless)
    _ = queue.setBudgets(workers: .max, byteBudget: .min, at: endless)
    queue.checkInvariants()
  }
}
