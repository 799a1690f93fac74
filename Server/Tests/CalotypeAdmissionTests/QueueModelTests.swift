import SeededNumbers
import Testing

@testable import CalotypeAdmission

@Suite("A queue of admission under random events")
struct QueueModelTests {
  /// No order of events loses a job, starts one twice, exceeds a budget, or leaves a worker without work that fits.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func allOrdersOfEvents(seed: UInt64) {
    var random = Seeded(seed)
    var configuration = AdmissionConfiguration(workers: 3, byteBudget: 100)
    configuration.maximumWait = seed.isMultiple(of: 2) ? nil : .milliseconds(500)
    configuration.maximumWaiting = 60
    configuration.maximumHeldBytes = 500
    configuration.maximumPasses = Int(seed % 4)
    if seed.isMultiple(of: 3) { configuration.oversize = .runAlone(upTo: 130) }
    var queue = AdmissionQueue(configuration)
    var waiting: Set<Int> = []
    var running: Set<Int> = []
    var now = Duration.zero
    func perform(_ actions: [AdmissionAction], submitted: Int? = nil) {
      if let submitted { waiting.insert(submitted) }
      for action in actions {
        switch action {
        case .start(let id):
          #expect(waiting.remove(id) != nil)
          running.insert(id)
        case .refuse(let id, _): #expect(waiting.remove(id) != nil)
        }
      }
    }
    for _ in 0..<1500 {
      now += .microseconds(Int.random(in: 0...4000, using: &random))
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50:
        let job = AdmissionJob(
          cost: AdmissionCost(
            milliseconds: .random(in: 0...40, using: &random), byteCount: .random(in: 0...140, using: &random)
          ),
          source: "\(Int.random(in: 0..<5, using: &random))",
          deadline: Bool.random(using: &random)
            ? nil : now + .milliseconds(Int.random(in: 0...300, using: &random)),
          heldByteCount: .random(in: 0...20, using: &random))
        let (id, actions) = queue.submit(job, at: now)
        perform(actions, submitted: id)
      case 50..<85:
        if let id = running.sorted().randomElement(using: &random) {
          running.remove(id)
          let actual = Duration.milliseconds(Int.random(in: 0...80, using: &random))
          perform(queue.finish(id, actual: Bool.random(using: &random) ? actual : nil, at: now))
        }
      case 85..<92:
        if let id = waiting.sorted().randomElement(using: &random) {
          let (wasWaiting, actions) = queue.cancel(id, at: now)
          #expect(wasWaiting && waiting.remove(id) != nil)
          perform(actions)
        }
      case 92..<96:
        perform(queue.tick(at: now))
      default:
        let workers = Int.random(in: 1...4, using: &random)
        perform(
          queue.setBudgets(workers: workers, byteBudget: .random(in: 60...120, using: &random), at: now))
      }
      #expect(queue.waitingCount == waiting.count && queue.runningCount == running.count)
      #expect(Set(queue.waiting.keys) == waiting)
      #expect(queue.waiting.values.allSatisfy { ($0.latestStart ?? .max) >= Nanoseconds.of(now) })
      #expect(queue.shares.waitingCost == queue.waiting.values.reduce(0) { $0 + $1.cost })
      #expect(queue.heldByteCount == queue.waiting.values.reduce(0) { $0 + $1.heldByteCount })
      #expect(queue.heldByteCount <= 500 && queue.waitingCount <= 60)
      // Nothing runs only when nothing waits.
      #expect(!running.isEmpty || waiting.isEmpty)
    }
    while let id = running.min() {
      running.remove(id)
      perform(queue.finish(id, at: now))
    }
    #expect(waiting.isEmpty && queue.sourceCount == 0 && queue.nextExpiry == nil)
    queue.checkInvariants()
  }

  @Test func aHundredThousandWait() {
    var configuration = AdmissionConfiguration(workers: 4, byteBudget: 1 << 30)
    configuration.maximumWait = nil
    var queue = AdmissionQueue(configuration)
    var random = Seeded(1)
    var running: [Int] = []
    for index in 0..<100_004 {
      let job = AdmissionJob(
        cost: AdmissionCost(milliseconds: .random(in: 1...100, using: &random), byteCount: 1 << 20),
        source: "host-\(index % 5000)", deadline: .seconds(1_000_000))
      let (id, actions) = queue.submit(job, at: .microseconds(index))
      if actions == [.start(id)] { running.append(id) }
    }
    #expect(queue.waitingCount == 100_000 && queue.sourceCount == 5000 && running.count == 4)
    let full = queue.submit(AdmissionJob(cost: AdmissionCost(milliseconds: 1, byteCount: 1)), at: .seconds(1))
    #expect(AdmissionQueueTests.refusal(full.actions)?.reason == .queueFull)
    // 100,000 jobs of 50.5 ms on 4 workers.
    #expect(abs(queue.predictedDrain(at: .seconds(1)) / .seconds(1262.5) - 1) < 0.01)
    for _ in 0..<20_000 {
      for action in queue.finish(running.removeFirst(), at: .seconds(1)) {
        if case .start(let id) = action { running.append(id) }
      }
    }
    #expect(queue.waitingCount == 80_000)
    for id in 1...100_004 { _ = queue.cancel(id, at: .seconds(1)) }
    #expect(queue.waitingCount == 0 && queue.runningCount == 4)
    queue.checkInvariants()
  }
}
