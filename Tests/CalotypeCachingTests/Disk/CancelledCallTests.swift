import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Callers that are cancelled do not wait for a disk that hangs.
@Suite(.timeLimit(.minutes(1))) struct CancelledCallTests {
  private let disk: FaultyDisk

  init() throws {
    disk = try FaultyDisk()
  }

  enum Call: CaseIterable, Sendable {
    case flush, removeAll, removeTag, trim, statistics, entries, verify, remove, store

    func make(_ cache: DiskCache) async throws {
      switch self {
      case .flush: try await cache.flush()
      case .removeAll: try await cache.removeAll()
      case .removeTag: try await cache.removeAll(.tag("a"))
      case .trim: try await cache.trim()
      case .statistics: _ = try await cache.statistics()
      case .entries: _ = try await cache.entries()
      case .verify: _ = try await cache.verify()
      case .remove: try await cache.remove(CacheKey("other"))
      case .store: try await cache.store(bytes(10), for: CacheKey("other"))
      }
    }
  }

  @Test(arguments: Call.allCases) func cancelledCallersLeaveAtOnceAndTheWritingGoesOn(call: Call) async throws
  {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    let pending = try cache.handOver(bytes(5000), metadata: .init(tags: ["b"]), for: CacheKey("key"))
    await gate.reached()
    let caller = Task { try await call.make(cache) }
    await Task.yield()
    caller.cancel()
    await #expect(throws: CachingError.cancelled) { try await caller.value }
    #expect(!FileManager.default.fileExists(atPath: disk.folder.record(CacheKey("key")).path))
    gate.open()
    try await pending.written()
    try await cache.flush()
    #expect(try await cache.read(CacheKey("key"))?.data == bytes(5000))
    #expect(try await cache.statistics().failures == 0)
  }

  @Test func aFlushOfAGroupEndsToo() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    let pending = try cache.handOver(bytes(5000), for: CacheKey("key"))
    await gate.reached()
    let flush = Task { try await CacheGroup([cache]).flush() }
    await Task.yield()
    flush.cancel()
    await #expect(throws: CachingError.cancelled) { try await flush.value }
    gate.open()
    try await pending.written()
  }
}
