import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

/// Time moves when a test says so, and those who sleep wake in their order.
@Suite("Test clock", .timeLimit(.minutes(5)))
struct TestClockTests {
  private let clock = TestClock()

  @Test("nobody wakes before the time")
  func wakes() async throws {
    let (clock, woken) = (clock, Gate())
    let start = clock.now
    async let sleeping: Void = {
      try await clock.sleep(for: .seconds(10))
      woken.open()
    }()
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(9999))
    #expect(clock.sleeperCount == 1 && !woken.isOpen)
    clock.advance(by: .milliseconds(1))
    #expect(clock.sleeperCount == 0)
    try await sleeping
    #expect(start.duration(to: clock.now) == .seconds(10))
  }

  @Test("what has passed is not slept for")
  func past() async throws {
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .seconds(-1))
    clock.advance(by: .seconds(-5))
    async let sleeping: Void = clock.sleep(for: .seconds(1))
    try await clock.waitForSleepers()
    clock.advance(to: clock.now.advanced(by: .seconds(1)))
    try await sleeping
  }

  @Test("all who are due wake by their deadlines, those of one deadline in the order they lay down")
  func order() async throws {
    // First come, first served, for those who sleep and for the one who wakes them: so everybody has lain down before.
    let executor = WorkerExecutor(name: "sleepers", threads: 1)
    let clock = clock
    for _ in 0..<100 {
      let woken = try await withTaskExecutorPreference(executor) { @concurrent () async throws -> [Int] in
        let woken = Lock<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (number, seconds) in [3, 1, 2, 1, 3, 2].enumerated() {
            group.addTask {
              try await clock.sleep(for: .seconds(seconds))
              woken.withLock { $0.append(number) }
            }
            try await clock.waitForSleepers(number + 1)
          }
          clock.advance(by: .seconds(3))
          try await group.waitForAll()
        }
        return woken.withLock { $0 }
      }
      #expect(woken == [1, 3, 2, 5, 0, 4])
    }
  }

  @Test("from one deadline to the next, under any order of the tasks", arguments: 0..<20)
  func stepwise(seed: UInt64) async throws {
    let clock = clock
    let woken = try await SeededExecutor.run(seed: seed) {
      let woken = Lock<[Int]>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, seconds) in [3, 1, 2, 1, 3, 2].enumerated() {
          group.addTask {
            try await clock.sleep(for: .seconds(seconds))
            woken.withLock { $0.append(number) }
          }
        }
        try await clock.waitForSleepers(6)
        for count in [2, 4, 6] {
          #expect(clock.advanceToNextDeadline() == .seconds(1))
          #expect(clock.sleeperCount == 6 - count)
          while woken.withLock({ $0.count }) < count { try await group.next() }
        }
        #expect(clock.advanceToNextDeadline() == nil)
      }
      return woken.withLock { $0 }
    }
    // Nobody overtakes an earlier deadline.
    #expect(Set(woken[0..<2]) == [1, 3] && Set(woken[2..<4]) == [2, 5] && Set(woken[4..<6]) == [0, 4])
  }

  @Test("a cancelled task does not sleep on")
  func cancelled() async throws {
    let clock = clock
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .zero)
    }
    await #expect(throws: CancellationError.self) { try await early.value }
  }

  @Test("waiting for sleepers can be cancelled")
  func cancelledWait() async throws {
    let clock = clock
    let task = Task { try await clock.waitForSleepers(2) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("5,000 rounds of cancelling against waking")
  func races() async throws {
    let clock = clock
    var (woken, cancelled) = (0, 0)
    for _ in 0..<5000 {
      let task = Task { @concurrent in try await clock.sleep(for: .seconds(1)) }
      try await clock.waitForSleepers()
      async let advancing: Void = { @concurrent () async in clock.advance(by: .seconds(1)) }()
      task.cancel()
      await advancing
      switch await task.result {
      case .success: woken += 1
      case .failure(let error):
        try #require(error is CancellationError)
        cancelled += 1
      }
      try #require(clock.sleeperCount == 0)
    }
    #expect(woken + cancelled == 5000)
  }

  @Test("manual time is one time, as date, as instant and as clock")
  func manualTime() async throws {
    let time = ManualTime(Date(timeIntervalSince1970: 1000))
    let start = time.instant
    let clock = time.clock
    async let sleeping: Void = clock.sleep(for: .seconds(2.5))
    try await clock.waitForSleepers()
    time.advance(by: .seconds(2.5))
    try await sleeping
    #expect(time.date == Date(timeIntervalSince1970: 1002.5))
    #expect(start.duration(to: time.instant) == .seconds(2.5) && time.instant == clock.now)
    time.advance(by: .seconds(-5))
    #expect(time.date == Date(timeIntervalSince1970: 997.5))
  }
}
