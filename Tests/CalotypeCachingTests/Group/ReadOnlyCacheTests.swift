import CalotypeCaching
import FoundationEssentials
import Testing

@Suite("Caches that are only read")
struct ReadOnlyCacheTests {
  private let key = CacheKey("a", source: "image")

  @Test func refusesChanges() async throws {
    let base = TestTier([key: "x"])
    let cache = ReadOnlyCache(base)
    #expect(cache.isReadOnly && !base.isReadOnly)
    #expect(try await cache.read(key) != nil)
    #expect(try await cache.contains(key))
    await #expect(throws: CachingError.cacheIsReadOnly) {
      try await cache.store(Data(), metadata: .init(), for: key)
    }
    await #expect(throws: CachingError.cacheIsReadOnly) { try await cache.remove(key) }
    await #expect(throws: CachingError.cacheIsReadOnly) { try await cache.removeAll(.source("image")) }
    await #expect(throws: CachingError.cacheIsReadOnly) { try await cache.removeAll() }
    try await cache.flush()
    #expect(base.calls == [.read, .contains])
    #expect(CachingError.cacheIsReadOnly.code == "cacheOnlyRead" && !CachingError.cacheIsReadOnly.isRetryable)
  }

  @Test(arguments: CacheGroup.Policy.allCases) func groupsLeaveItOut(policy: CacheGroup.Policy) async throws {
    let seed = TestTier([key: "seed"])
    let upper = TestTier([key: "old"])
    let lower = TestTier([key: "old"])
    let group = CacheGroup(
      [ReadOnlyCache(seed), upper, lower, ReadOnlyCache(seed)],
      policies: .init(store: policy, remove: policy, clear: policy))
    try await group.store(Data("new".utf8), metadata: .init(), for: key)
    #expect(upper.text(key) == (policy == .lowestOnly ? "old" : "new"))
    #expect(lower.text(key) == (policy == .highestOnly ? "old" : "new"))
    #expect(try await group.remove(key))
    #expect(try await group.removeAll() == 0)
    try await group.flush()
    #expect(seed.text(key) == "seed" && seed.calls == [] && !group.isReadOnly)
    // What the seed has is found again.
    #expect(try await group.read(key) != nil)
    #expect(seed.calls == [.read])
  }

  @Test func isNeverFilled() async throws {
    let seed = TestTier()
    let upper = TestTier()
    let group = CacheGroup([ReadOnlyCache(seed), upper, TestTier([key: "x"])])
    #expect(try await group.read(key) != nil)
    #expect(upper.text(key) == "x" && seed.calls == [.read])
    #expect(group.statistics.fills == 1 && group.statistics.failures == [0, 0, 0])
  }

  @Test func fillsOthers() async throws {
    let upper = TestTier()
    let group = CacheGroup([upper, ReadOnlyCache(TestTier([key: "x"]))])
    #expect(try await group.read(key) != nil)
    #expect(upper.text(key) == "x")
  }

  @Test func nothingIsWritten() async throws {
    let group = CacheGroup([ReadOnlyCache(TestTier([key: "x"]))])
    #expect(group.isReadOnly)
    await #expect(throws: CachingError.cacheIsReadOnly) {
      try await group.store(Data(), metadata: .init(), for: key)
    }
    await #expect(throws: CachingError.cacheIsReadOnly) { try await group.remove(key) }
    await #expect(throws: CachingError.cacheIsReadOnly) { try await group.removeAll() }
    try await group.flush()
  }
}
