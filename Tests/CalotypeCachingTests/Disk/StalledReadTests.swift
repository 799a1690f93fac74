import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// A file system that does not answer holds nobody up who reads.
@Suite(.timeLimit(.minutes(1))) struct StalledReadTests {
  private typealias Gate = CalotypeTestKit.Gate

  private let keys = (0..<40).map { CacheKey("key \($0)") }
  private let disk: FaultyDisk
  private let clock = TestClock()

  init() throws {
    disk = try FaultyDisk()
  }

  /// A cache with records that all have to be read by a thread.
  private func filledCache(threads: Int = 2) async throws -> DiskCache {
    let cache = DiskCache(
      disk.folder.configuration {
        $0.threads = threads
        $0.readTimeout = .seconds(1)
      }, fileSystem: disk.files, clock: clock)
    for key in keys { try cache.handOver(bytes(100), for: key) }
    try await cache.flush()
    disk.files.intercept { _, _ in }
    return cache
  }

  /// Begins reads that hang.
  ///
  /// - Returns: Them, when `begun` have a thread and the others wait for one.
  private func hang(
    _ cache: DiskCache, at gate: Gate, _ count: Int, begun: Int = 2
  ) async throws -> [Task<CacheRecord?, any Error>] {
    let calls = disk.files.calls(.open)
    disk.files.hold(.open, at: gate)
    let reads = keys[..<count].map { key in Task { try await cache.read(key) } }
    try await disk.files.waitForCalls(.open, count: calls + begun)
    try await eventually { cache.readers.queueDepth >= count - begun }
    try await clock.waitForSleepers()
    return reads
  }

  private func expectStalled(_ read: Task<CacheRecord?, any Error>) async {
    let error = await #expect(throws: CachingError.self) { try await read.value }
    #expect(error?.code == "cacheStalled" && error?.isRetryable == true)
    guard case .stalled("read", let path, .seconds(1)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path.hasPrefix(disk.folder.cache.path))
  }

  private func settle(_ cache: DiskCache) async throws {
    try await eventually { cache.readers.stalledCount == 0 }
  }

  @Test func aCallerIsToldAndTheThreadGoesOn() async throws {
    let cache = try await filledCache()
    let gate = Gate()
    let read = try await hang(cache, at: gate, 1, begun: 1)[0]
    clock.advance(by: .seconds(1))
    await expectStalled(read)
    #expect(cache.readers.stalledCount == 1 && !cache.readers.isStalled)
    // The other thread is as good as ever.
    disk.files.heal()
    disk.files.intercept { _, _ in }
    #expect(try await cache.read(keys[1]) != nil)
    #expect(try await cache.read(keys[0]) != nil)
    let statistics = try await cache.statistics()
    #expect(statistics.stalledReads == 1 && statistics.failures == 1 && !statistics.isReadCircuitOpen)
    #expect(statistics.lastFailure?.code == "cacheStalled")
    gate.open()
    try await settle(cache)
    #expect(try await cache.read(keys[0])?.data == bytes(100))
  }

  @Test(arguments: [0, 5]) func aCancelledReadEndsAtOnce(number: Int) async throws {
    let cache = try await filledCache()
    let gate = Gate()
    // Of the first, a thread is at work; the other waits for one.
    let reads = try await hang(cache, at: gate, 6)
    for read in reads { read.cancel() }
    for read in reads { await #expect(throws: CachingError.cancelled) { try await read.value } }
    #expect(cache.readers.queueDepth == 0)
    gate.open()
    #expect(try await cache.read(keys[number])?.data == bytes(100))
    #expect(try await cache.statistics().failures == 0)
  }

  @Test func nothingQueuesBehindThreadsThatHang() async throws {
    let cache = try await filledCache()
    let gate = Gate()
    let reads = try await hang(cache, at: gate, 20)
    let calls = disk.files.calls(.open)
    clock.advance(by: .seconds(1))
    for read in reads { await expectStalled(read) }
    #expect(cache.readers.isStalled && cache.readers.queueDepth == 0)
    for key in keys {
      await expectStalled(Task { try await cache.read(key) })
      let error = await #expect(throws: CachingError.self) { try await cache.contains(key) }
      #expect(error?.code == "cacheStalled")
    }
    #expect(disk.files.calls(.open) == calls)
    // What needs no thread is answered: what waits to be written, and what is certainly absent.
    #expect(try await cache.read(CacheKey("nothing")) == nil)
    let statistics = try await cache.statistics()
    #expect(statistics.isReadCircuitOpen && statistics.stalledReads == 20 + 2 * keys.count)
    gate.open()
    try await settle(cache)
    disk.files.heal()
    for key in keys { #expect(try await cache.read(key)?.data == bytes(100)) }
    #expect(try await cache.statistics().isReadCircuitOpen == false)
  }

  @Test func oneTriesAfterTheCoolDown() async throws {
    let cache = try await filledCache()
    let gate = Gate()
    let reads = try await hang(cache, at: gate, 2)
    clock.advance(by: .seconds(1))
    for read in reads { await expectStalled(read) }
    // Two files hang, and the others do not.
    disk.files.heal()
    disk.files.intercept { _, _ in }
    await expectStalled(Task { try await cache.read(keys[5]) })
    clock.advance(by: .seconds(1))
    for key in keys[5...] { #expect(try await cache.read(key)?.data == bytes(100)) }
    #expect(cache.readers.stalledCount == 2)
    gate.open()
    try await settle(cache)
    #expect(try await cache.read(keys[0])?.data == bytes(100))
  }

  @Test func whatIsTriedInVainIsBounded() async throws {
    let cache = try await filledCache()
    let gate = Gate()
    let reads = try await hang(cache, at: gate, 2)
    clock.advance(by: .seconds(1))
    for read in reads { await expectStalled(read) }
    var calls = disk.files.calls(.open)
    for coolDown in [1, 2] {
      clock.advance(by: .seconds(coolDown))
      let probe = Task { try await cache.read(keys[7]) }
      calls += 1
      try await disk.files.waitForCalls(.open, count: calls)
      try await clock.waitForSleepers()
      // While one tries, no other one does.
      await expectStalled(Task { try await cache.read(keys[8]) })
      clock.advance(by: .seconds(1))
      await expectStalled(probe)
      await expectStalled(Task { try await cache.read(keys[8]) })
    }
    // As many threads hang as may.
    #expect(cache.readers.stalledCount == 4)
    clock.advance(by: .seconds(1000))
    await expectStalled(Task { try await cache.read(keys[9]) })
    #expect(disk.files.calls(.open) == calls)
    gate.open()
    try await settle(cache)
    for key in keys { #expect(try await cache.read(key)?.data == bytes(100)) }
  }

  @Test func aProbeThatIsCancelledLetsAnotherTry() async throws {
    let cache = try await filledCache()
    let gate = Gate()
    let reads = try await hang(cache, at: gate, 2)
    clock.advance(by: .seconds(1))
    for read in reads { await expectStalled(read) }
    clock.advance(by: .seconds(1))
    let calls = disk.files.calls(.open)
    let probe = Task { try await cache.read(keys[7]) }
    try await disk.files.waitForCalls(.open, count: calls + 1)
    probe.cancel()
    await #expect(throws: CachingError.cancelled) { try await probe.value }
    // Its thread hangs all the same, until the file system answers.
    try await clock.waitForSleepers()
    await expectStalled(Task { try await cache.read(keys[8]) })
    gate.open()
    try await settle(cache)
    disk.files.heal()
    #expect(try await cache.read(keys[8]) != nil)
  }

  @Test func goingThroughAllRecordsTakesNoThreadFromReads() async throws {
    let cache = try await filledCache(threads: 1)
    let gate = Gate()
    disk.files.hold(.list, at: gate)
    let entries = Task { try await cache.entries() }
    let verification = Task { try await cache.verify() }
    try await disk.files.waitForCalls(.list)
    #expect(try await cache.read(keys[0])?.data == bytes(100))
    #expect(try await cache.contains(keys[1]))
    gate.open()
    #expect(try await entries.value.count == keys.count)
    #expect(try await verification.value.intact == keys.count)
  }

  /// Results, time-outs and cancellations at the same time: each caller hears one of them.
  @Test func eachCallEndsOnce() async throws {
    let queue = ReaderThreads(
      name: "test", threads: 4, timeout: .microseconds(50), timer: CacheTimer(ContinuousClock()))
    let ended = Lock((results: 0, errors: 0))
    await withTaskGroup { group in
      for task in 0..<16 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(task))
          for _ in 0..<200 {
            let pause = Int.random(in: 0..<100, using: &random)
            let call = Task {
              try await queue.run("read", path: "") { () throws(CachingError) in
                let end = ContinuousClock.now + .microseconds(pause)
                while ContinuousClock.now < end {}
                return pause
              }
            }
            if pause % 3 == 0 { call.cancel() }
            let result = await call.result
            ended.withLock { ended in
              if case .success(pause) = result { ended.results += 1 } else { ended.errors += 1 }
            }
          }
        }
      }
    }
    #expect(ended.withLock { $0.results + $0.errors } == 3200)
    #expect(ended.withLock { $0.errors } > 100)
    try await eventually { queue.stalledCount == 0 }
    #expect(!queue.isStalled && queue.queueDepth == 0)
  }

  @Test func urgentReadsComeFirst() async throws {
    let queue = ReaderThreads(name: "test", threads: 1, timer: CacheTimer(clock))
    let gate = Gate()
    let order = Lock<[Int]>([])
    func start(_ number: Int, _ priority: TaskPriority) async throws -> Task<Void, any Error> {
      let depth = queue.queueDepth
      let task = Task.detached(priority: priority) {
        try await queue.run("read", path: "") { () throws(CachingError) in
          if number == 0 { gate.waitBlocking() }
          order.withLock { $0.append(number) }
        }
      }
      if number == 0 {
        // Its thread has it, and the others wait.
        try await eventually { !queue.isIdle }
      } else {
        try await eventually { queue.queueDepth != depth }
      }
      return task
    }
    var tasks = [try await start(0, .low)]
    for (number, priority) in [TaskPriority.low, .high, .low, .high].enumerated() {
      tasks.append(try await start(number + 1, priority))
    }
    gate.open()
    for task in tasks { try await task.value }
    #expect(order.withLock { $0 } == [0, 2, 4, 1, 3])
  }
}
