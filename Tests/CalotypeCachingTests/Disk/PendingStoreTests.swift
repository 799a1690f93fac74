import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Those who hand over stores and go away, and many at a time.
@Suite struct PendingStoreTests {
  private let key = CacheKey("key")
  private let disk: FaultyDisk

  init() throws {
    disk = try FaultyDisk()
  }

  @Test func aWaiterThatIsCancelledStopsNothing() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    let pending = try cache.handOver(bytes(100), for: key)
    await gate.reached()
    let waiter = Task { try await pending.written() }
    await Task.yield()
    waiter.cancel()
    await #expect(throws: CachingError.cancelled) { try await waiter.value }
    gate.open()
    try await pending.written()
    #expect(try await cache.read(key)?.data == bytes(100))
  }

  @Test func aCacheThatIsReleasedWritesWhatWaits() async throws {
    for round in 0..<20 as Range<UInt64> {
      var cache: DiskCache? = DiskCache(disk.folder.configuration())
      weak let released = cache
      var pending: [DiskCache.PendingStore] = []
      for number in 0..<100 {
        pending += [try #require(try cache?.handOver(bytes(number, seed: round), for: CacheKey("\(number)")))]
      }
      cache = nil
      for store in pending { try await store.written() }
      try await eventually { released == nil }
    }
    try await disk.folder.waitUntilClosed()
    let other = DiskCache(disk.folder.configuration())
    for number in 0..<100 {
      #expect(try await other.read(CacheKey("\(number)"))?.data == bytes(number, seed: 19))
    }
  }

  @Test func flushingManyRemovalsOfOneKeyDoesThemAll() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    try cache.handOver(bytes(1), for: CacheKey("first"))
    await gate.reached()
    let removals = (0..<500).map { _ in Task { try await self.remove(cache) } }
    try await eventually { cache.staging.count >= 500 }
    let last = try cache.handOver(bytes(77), for: key)
    gate.open()
    try await cache.flush()
    #expect(FileManager.default.fileExists(atPath: disk.folder.record(key).path))
    #expect(cache.staging.bytes == 0)
    for removal in removals { try await removal.value }
    try await last.written()
  }

  private func remove(_ cache: DiskCache) async throws { try await cache.remove(key) }

  @Test(.timeLimit(.minutes(1))) func manyTasksEndWithTheNewestOfEachKey() async throws {
    let cache = DiskCache(disk.folder.configuration { $0.stagingByteLimit = 200_000 })
    try await withThrowingTaskGroup { group in
      for task in 0..<16 {
        group.addTask {
          let own = CacheKey("of \(task)")
          for step in 1...200 {
            let data = bytes(step * 10, seed: UInt64(task))
            do throws(CachingError) {
              if step % 3 == 0 {
                try await cache.store(data, for: own)
              } else {
                try cache.handOver(data, for: own)
              }
            } catch {
              // Then it waits for its turn.
              guard case .queueFull = error else { throw error }
              try await cache.store(data, for: own)
            }
            #expect(try await cache.read(own)?.data == data)
            if step % 50 == 49 {
              try await cache.remove(own)
              #expect(try await cache.read(own) == nil)
            }
            // Everybody writes this one.
            _ = try? cache.handOver(bytes(1000, seed: UInt64(step)), for: CacheKey("shared"))
            #expect(try await cache.read(CacheKey("shared"))?.data.count == 1000)
          }
        }
      }
      try await group.waitForAll()
    }
    try await cache.flush()
    let other = DiskCache(disk.folder.configuration())
    for task in 0..<16 {
      #expect(try await other.read(CacheKey("of \(task)"))?.data == bytes(2000, seed: UInt64(task)))
    }
    let statistics = try await cache.statistics()
    #expect(statistics.count == 17 && statistics.failures == 0 && statistics.stagedBytes == 0)
    #expect(statistics.bytes == disk.folder.walk().bytes)
  }
}
