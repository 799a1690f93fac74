import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// What goes because of a limit or its age goes in steps, between which others have their turn.
@Suite(.timeLimit(.minutes(1))) struct EvictionStepTests {
  private let disk: FaultyDisk
  private let time = ManualTime()

  init() throws {
    disk = try FaultyDisk()
  }

  /// What is done to records, by what happens between two times that the lock is taken.
  private struct Turns {
    var removals: [Int] = [0]
    var questions: [Int] = [0]
    var events: [FaultyFileSystem.Operation] = []
  }

  private func observe(also: @escaping FaultyFileSystem.Hook = { _, _ in }) -> Lock<Turns> {
    let turns = Lock(Turns())
    disk.files.intercept { operation, path throws(FileSystemError) in
      let isRecord = CacheLayout.fanOut.contains { path.contains("/v2/\($0)/") }
      turns.withLock { turns in
        switch operation {
        case .lock:
          turns.removals.append(0)
          turns.questions.append(0)
        case .remove where isRecord: turns.removals[turns.removals.count - 1] += 1
        case .status where isRecord: turns.questions[turns.questions.count - 1] += 1
        default: break
        }
        if [.create, .remove].contains(operation) { turns.events.append(operation) }
      }
      try also(operation, path)
    }
    return turns
  }

  private func fill(_ cache: DiskCache, _ count: Int, metadata: RecordMetadata = .init()) async throws {
    for number in 0..<count {
      try cache.handOver(bytes(10), metadata: metadata, for: CacheKey("old \(number)"))
      if number % 200 == 0 { try await cache.flush() }
    }
    try await cache.flush()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void) -> DiskCache {
    // The clock stands still: steps end by their number of records.
    DiskCache(
      disk.folder.configuration(change), fileSystem: disk.files, now: { [time] in time.date },
      clock: time.clock)
  }

  @Test func theLowMarkIsReachedStepByStep() async throws {
    let cache = cache {
      $0.countLimit = 1000
      $0.lowWatermark = 0.5
    }
    try await fill(cache, 1000)
    #expect(disk.folder.walk().count == 1000)
    let turns = observe()
    // Newer than the others, so that it stays.
    time.advance(by: .seconds(1))
    try await cache.store(bytes(10), for: CacheKey("one more"))
    // Its own room and a step more, and the others in steps.
    while try await cache.statistics().count > 500 {}
    #expect(turns.withLock { $0.removals.max() ?? 0 } == 1 + DiskStore.stepCount)
    #expect(try await cache.statistics().evictions == 501)
    #expect(disk.folder.walk().count == 500)
    #expect(try await cache.contains(CacheKey("one more")))
    // That was all: nothing goes below it.
    try await cache.flush()
    #expect(try await cache.statistics().count == 500)
  }

  @Test func storesComeBeforeTheNextStep() async throws {
    let cache = cache {
      $0.countLimit = 1000
      $0.lowWatermark = 0.5
    }
    try await fill(cache, 1000)
    let gate = Gate()
    let removals = Lock(0)
    let turns = observe { operation, path throws(FileSystemError) in
      guard operation == .remove, !path.contains("/v2/tmp/") else { return }
      // In the middle of a later step.
      if removals.withLock({ removals in
        removals += 1
        return removals
      }) == 200 {
        gate.wait()
      }
    }
    try await cache.store(bytes(10), for: CacheKey("one more"))
    await gate.reached()
    let before = turns.withLock { $0.events.count }
    let stores = try (0..<100).map { try cache.handOver(bytes(10), for: CacheKey("new \($0)")) }
    gate.open()
    for store in stores { try await store.written() }
    let events = turns.withLock { Array($0.events[before...]) }
    let last = try #require(events.lastIndex(of: .create))
    // The rest of that step, and another one at most.
    #expect(events[..<last].count { $0 == .remove } <= 2 * DiskStore.stepCount)
    while try await cache.statistics().count > 500 {}
  }

  @Test func aStepEndsWhenItTookLong() async throws {
    let cache = cache {
      $0.countLimit = 100
      $0.lowWatermark = 0.5
    }
    try await fill(cache, 100)
    let turns = observe { [time] operation, _ throws(FileSystemError) in
      if operation == .remove { time.advance(by: .milliseconds(1)) }
    }
    try await cache.store(bytes(10), for: CacheKey("one more"))
    while try await cache.statistics().count > 50 {}
    // Its own room, and one of the step behind that.
    #expect(turns.withLock { $0.removals.max() ?? 0 } == 2)
  }

  /// A process that begins knows of no reads: it must not ask about all records before one goes.
  @Test func ofManyThatWereReadOneGoes() async throws {
    let cache = cache {
      $0.countLimit = 1000
      $0.lowWatermark = 1
    }
    try await fill(cache, 1000)
    for number in 0..<1000 {
      // The seventh was read first.
      let date = time.date.addingTimeInterval(number == 7 ? 50 : 100)
      try POSIXFileSystem().touch(disk.folder.record(CacheKey("old \(number)")).path, modified: date)
    }
    time.advance(by: .seconds(1000))
    let turns = observe()
    try await cache.store(bytes(10), for: CacheKey("one more"))
    #expect(turns.withLock { $0.questions.max() ?? 0 } <= 64 + 1)
    #expect(try await cache.statistics().count == 1000)
    #expect(try await cache.statistics().evictions == 1)
    // As the index is now, the next ones are asked about, and no more is forgotten of them.
    for number in 0..<100 { try await cache.store(bytes(10), for: CacheKey("another \(number)")) }
    #expect(try await !cache.contains(CacheKey("old 7")))
    for number in 0..<100 { #expect(try await cache.contains(CacheKey("another \(number)"))) }
  }

  @Test func whatIsTooOldGoesInStepsToo() async throws {
    let cache = cache { _ in }
    try await fill(cache, 300, metadata: .init(expires: time.date.addingTimeInterval(30)))
    time.advance(by: .seconds(90))
    let turns = observe()
    try await cache.store(bytes(10), for: CacheKey("one more"))
    #expect(turns.withLock { $0.removals.max() ?? 0 } <= DiskStore.stepCount)
    while try await cache.statistics().count > 1 {}
    #expect(turns.withLock { $0.removals.max() ?? 0 } <= DiskStore.stepCount)
    #expect(try await cache.statistics().expired == 300)
    #expect(disk.folder.walk().count == 1)
  }

  @Test func aLockThatIsTakenHoldsUpkeepBackAndNothingElse() async throws {
    let cache = cache {
      $0.countLimit = 300
      $0.lowWatermark = 0.1
    }
    try await fill(cache, 300)
    let other = try POSIXFileSystem().openShared(disk.folder.cache.appending(path: "v2/lock").path)
    let isStored = Lock(false)
    disk.files.intercept { operation, _ throws(FileSystemError) in
      // Once the store is done, another process takes the lock.
      if operation == .rename { isStored.withLock { $0 = true } }
      if operation == .lock, isStored.withLock({ $0 }) { _ = try other.tryLock() }
    }
    try await cache.store(bytes(10), for: CacheKey("one more"))
    try await cache.flush()
    // It tried, failed nobody, and does not try again by itself.
    let calls = disk.files.calls(.lock)
    try await cache.flush()
    #expect(disk.files.calls(.lock) == calls)
    #expect(disk.folder.walk().count > 30)
    #expect(!cache.circuit.isOpen)
    other.unlock()
    disk.files.heal()
    try await cache.store(bytes(10), for: CacheKey("and one"))
    while try await cache.statistics().count > 30 {}
    #expect(try await cache.statistics().failures == 0)
  }
}
