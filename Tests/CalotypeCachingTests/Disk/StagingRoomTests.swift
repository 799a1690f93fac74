import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Stores that there is no room for: in step with the disk while that moves, and no longer.
@Suite(.timeLimit(.minutes(5))) struct StagingRoomTests {
  private let key = CacheKey("key")
  private let disk: FaultyDisk
  private let clock = TestClock()

  init() throws {
    disk = try FaultyDisk()
  }

  private func cache() -> DiskCache {
    DiskCache(
      disk.folder.configuration {
        $0.stagingByteLimit = 10_000
        $0.storeTimeout = .seconds(1)
      }, fileSystem: disk.files, clock: clock)
  }

  /// A cache whose disk hangs, and whose staging area is full.
  private func stuckCache() async throws -> (cache: DiskCache, gate: Gate, first: DiskCache.PendingStore) {
    let (cache, gate) = (cache(), disk.holdWrites())
    let first = try cache.handOver(bytes(9000), for: CacheKey("first"))
    await gate.reached()
    return (cache, gate, first)
  }

  @Test func aStoreGivesUpWhenNothingMoves() async throws {
    let (cache, gate, first) = try await stuckCache()
    let store = Task { try await cache.store(bytes(9000), for: key) }
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: CachingError.self) { try await store.value }
    #expect(error?.code == "cacheQueueFull")
    #expect(cache.staging.entrantCount == 0)
    #expect(try await cache.read(key) == nil)
    gate.open()
    try await first.written()
    try await cache.store(bytes(9000), for: key)
    #expect(try await cache.read(key) != nil)
  }

  @Test func aCancelledStoreDoesNotWait() async throws {
    let (cache, gate, first) = try await stuckCache()
    let store = Task { try await cache.store(bytes(9000), for: key) }
    try await clock.waitForSleepers()
    store.cancel()
    await #expect(throws: CachingError.cancelled) { try await store.value }
    #expect(cache.staging.entrantCount == 0)
    gate.open()
    try await first.written()
    try await cache.flush()
    #expect(try await cache.read(key) == nil)
  }

  @Test func itWaitsAsLongAsTheDiskMoves() async throws {
    let cache = cache()
    let gates = (0..<4).map { _ in Gate() }
    let writes = Lock(0)
    disk.files.intercept { operation, path throws(FileSystemError) in
      guard operation == .create, path.hasSuffix("/new") else { return }
      let number = writes.withLock { writes in
        defer { writes += 1 }
        return writes
      }
      if number < gates.count { gates[number].wait() }
    }
    let first = try cache.handOver(bytes(9000), for: CacheKey("first"))
    await gates[0].reached()
    var stores: [Task<Void, any Error>] = []
    for number in 1..<4 {
      stores.append(Task { try await cache.store(bytes(9000), for: CacheKey("\(number)")) })
      // So that they come in this order.
      try await eventually { cache.staging.entrantCount >= number }
    }
    try await clock.waitForSleepers(3)
    for number in 0..<4 {
      // Longer than any may wait, all together, but each time something was written since.
      gates[number].open()
      if number == 0 { try await first.written() } else { try await stores[number - 1].value }
      if number < 3 {
        await gates[number + 1].reached()
        try await clock.waitForSleepers(2 - number)
        clock.advance(by: .seconds(1))
        // Those that wait have seen what was written, before anything else is.
        try await clock.waitForSleepers(2 - number)
      }
    }
    #expect(try await cache.statistics().count == 4)
  }

  @Test func manyAreAllWritten() async throws {
    let cache = DiskCache(disk.folder.configuration { $0.stagingByteLimit = 10_000 })
    try await withThrowingTaskGroup { group in
      for number in 0..<300 {
        group.addTask { try await cache.store(bytes(number * 20), for: CacheKey("\(number)")) }
      }
      try await group.waitForAll()
    }
    #expect(try await cache.statistics().count == 300)
    #expect(cache.staging.bytes == 0 && cache.staging.entrantCount == 0)
  }
}
