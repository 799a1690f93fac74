import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// A folder that another process keeps locked stops nobody.
@Suite(.timeLimit(.minutes(1))) struct LockedFolderTests {
  private let key = CacheKey("key")
  private let disk: FaultyDisk
  private let time = ManualTime()

  init() throws {
    disk = try FaultyDisk()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache {
    let configuration = disk.folder.configuration {
      $0.storeTimeout = .milliseconds(30)
      change(&$0)
    }
    return DiskCache(configuration, fileSystem: disk.files, now: { [time] in time.date }, clock: time.clock)
  }

  /// The lock of the folder, as another process takes it.
  private func lockFolder() throws -> any SharedFile {
    let file = try POSIXFileSystem().openShared(disk.folder.cache.appending(path: "v2/lock").path)
    while try !file.tryLock() {}
    return file
  }

  private func expectLocked(_ work: () async throws -> Void) async {
    let error = await #expect(throws: CachingError.self) { try await work() }
    #expect(error?.code == "cacheLocked" && error?.isRetryable == true)
  }

  @Test func storesFailAtOnceUntilOneSucceeds() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    await expectLocked { try await cache.store(bytes(10), for: CacheKey("new")) }
    #expect(cache.circuit.isOpen)
    // Nobody asks for the lock any more.
    var calls = disk.files.calls(.lock)
    for number in 0..<100 {
      await expectLocked { try await cache.store(bytes(10), for: CacheKey("new \(number)")) }
      await expectLocked { try cache.handOver(bytes(10), for: CacheKey("new \(number)")) }
    }
    #expect(disk.files.calls(.lock) == calls)
    #expect(cache.staging.bytes == 0 && cache.staging.count == 0)
    #expect(cache.counters.withLock { $0.refused } == 200)
    #expect(cache.counters.withLock { $0.failures } == 1)
    // Reads are of no concern to it.
    #expect(try await cache.read(key)?.data == bytes(100))
    let statistics = try await cache.statistics()
    #expect(statistics.isCircuitOpen && statistics.refused == 200 && statistics.count == 1)

    // One tries after the cool-down, and the next ones twice as late.
    for coolDown in [2, 4, 8] {
      time.advance(by: .seconds(coolDown))
      calls = disk.files.calls(.lock)
      await expectLocked { try await cache.store(bytes(10), for: CacheKey("probe")) }
      #expect(disk.files.calls(.lock) > calls)
      calls = disk.files.calls(.lock)
      time.advance(by: .seconds(coolDown))
      await expectLocked { try await cache.store(bytes(10), for: CacheKey("too early")) }
      #expect(disk.files.calls(.lock) == calls)
    }
    lock.unlock()
    time.advance(by: .seconds(30))
    try await cache.store(bytes(10), for: CacheKey("new"))
    #expect(!cache.circuit.isOpen)
    #expect(try await cache.read(CacheKey("new")) != nil)
    #expect(try await cache.statistics().isCircuitOpen == false)
  }

  @Test func anythingThatTakesTheLockClosesTheCircuit() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    await expectLocked { try await cache.store(bytes(10), for: CacheKey("new")) }
    lock.unlock()
    #expect(cache.circuit.isOpen)
    #expect(try await cache.remove(key))
    try await cache.store(bytes(10), for: CacheKey("new"))
    #expect(!cache.circuit.isOpen)
  }

  @Test func aRemovalWaitsAndStoresBehindItDoNot() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    let calls = disk.files.calls(.lock)
    let removal = Task { try await cache.remove(key) }
    try await disk.files.waitForCalls(.lock, count: calls + 1)
    await expectLocked { try await cache.store(bytes(10), for: CacheKey("behind")) }
    await expectLocked { try await cache.store(bytes(10), for: CacheKey("later")) }
    // A wait that goes on is not tried against.
    time.advance(by: .seconds(100))
    await expectLocked { try cache.handOver(bytes(10), for: CacheKey("much later")) }
    // What is to be removed is not there, also when a store after it was given up.
    #expect(try await cache.read(key) == nil)
    lock.unlock()
    #expect(try await removal.value)
    try await cache.store(bytes(20), for: key)
    #expect(try await cache.read(key)?.data == bytes(20))
  }

  @Test func aStoreThatIsGivenUpUncoversTheRemovalBeforeIt() async throws {
    let cache = cache()
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    let calls = disk.files.calls(.lock)
    // Is at work while the others come.
    let first = Task { try await cache.remove(CacheKey("first")) }
    try await disk.files.waitForCalls(.lock, count: calls + 1)
    let removal = Task { try await cache.remove(key) }
    try await eventually { try await cache.read(key) == nil }
    await expectLocked { try await cache.store(bytes(10), for: key) }
    #expect(try await cache.read(key) == nil)
    lock.unlock()
    #expect(try await removal.value)
    #expect(try await !first.value)
  }

  @Test func aFlushWaitsLonger() async throws {
    let cache = cache { $0.storeTimeout = .milliseconds(1) }
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    // As a flush does when it is called, here before there is anything to be flushed.
    cache.staging.beginFlush()
    defer { cache.staging.endFlush() }
    let calls = disk.files.calls(.lock)
    let pending = try cache.handOver(bytes(10), for: CacheKey("flushed"))
    // Far more than a millisecond's worth.
    try await disk.files.waitForCalls(.lock, count: calls + 40)
    #expect(cache.circuit.isOpen)
    lock.unlock()
    try await cache.flush()
    try await pending.written()
    #expect(try await cache.read(CacheKey("flushed")) != nil)
  }

  @Test func whoWaitsForRoomIsToldToo() async throws {
    let cache = cache {
      $0.stagingByteLimit = 10_000
      $0.storeTimeout = .milliseconds(200)
    }
    try await cache.store(bytes(100), for: key)
    let lock = try lockFolder()
    let first = try cache.handOver(bytes(9000), for: CacheKey("first"))
    let second = Task { try await cache.store(bytes(9000), for: CacheKey("second")) }
    await expectLocked { try await first.written() }
    // It came in, or had to wait, or was refused.
    await expectLocked { try await second.value }
    lock.unlock()
    #expect(cache.staging.bytes == 0 && cache.staging.entrantCount == 0)
  }

  @Test func coolDownsEndAtHalfAMinute() {
    let circuit = StoreCircuit(timer: CacheTimer(time.clock)) { _ in }
    var waits: [Int] = []
    for _ in 0..<8 {
      circuit.lockWasNotTaken(isFinal: false)
      #expect(!circuit.admits())
      var seconds = 0
      while !circuit.admits() {
        time.advance(by: .seconds(1))
        seconds += 1
      }
      waits.append(seconds)
      // No other one at the same time.
      #expect(!circuit.admits())
    }
    #expect(waits == [1, 2, 4, 8, 16, 30, 30, 30])
    circuit.lockWasTaken()
    #expect(circuit.admits() && !circuit.isOpen)
    circuit.lockIsHeld()
    time.advance(by: .seconds(1000))
    #expect(!circuit.admits())
    circuit.lockWasNotTaken(isFinal: true)
    time.advance(by: .seconds(1))
    #expect(circuit.admits())
  }
}
