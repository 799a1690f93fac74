import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// The event from which the age of a record counts.
@Suite struct AgeOriginTests {
  private let key = CacheKey("key")
  private let other = CacheKey("other")
  private let folder: TemporaryFolder
  private let time = ManualTime()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(_ origin: DiskCache.Configuration.AgeOrigin) -> DiskCache {
    let time = time
    return DiskCache(
      folder.configuration {
        $0.maxAge = .seconds(100)
        $0.touchInterval = .zero
        $0.ageOrigin = origin
      }, now: { time.date })
  }

  @Test func readsProlongTheLifeOnlyByLastAccess() async throws {
    for origin in DiskCache.Configuration.AgeOrigin.allCases {
      let cache = cache(origin)
      try await cache.store(bytes(10), for: key)
      time.advance(by: .seconds(60))
      #expect(try await cache.read(key) != nil)
      time.advance(by: .seconds(60))
      let isThere = origin == .lastAccess
      #expect(try await cache.contains(key) == isThere, "\(origin)")
      #expect(try await (cache.read(key) != nil) == isThere, "\(origin)")
      // Another process finds the same.
      #expect(try await (self.cache(origin).read(key) != nil) == isThere, "\(origin)")
    }
  }

  @Test func storesProlongTheLifeExceptByFirstStore() async throws {
    for origin in DiskCache.Configuration.AgeOrigin.allCases {
      let cache = cache(origin)
      try await cache.remove(key)
      try await cache.store(bytes(10, seed: 1), for: key)
      let first = time.date
      time.advance(by: .seconds(60))
      try await cache.store(bytes(10, seed: 2), for: key)
      let record = try #require(try await cache.read(key))
      #expect(record.data == bytes(10, seed: 2))
      #expect(record.created == (origin == .firstStore ? first : time.date), "\(origin)")
      time.advance(by: .seconds(60))
      #expect(try await (self.cache(origin).read(key) != nil) == (origin != .firstStore), "\(origin)")
    }
  }

  @Test func aRecordThatReplacesAnExpiredOrRemovedOneIsNew() async throws {
    let cache = cache(.firstStore)
    try await cache.store(bytes(10), for: key)
    try await cache.store(bytes(10), metadata: .init(expires: time.date.addingTimeInterval(50)), for: other)
    time.advance(by: .seconds(60))
    // Its own end has come.
    try await cache.store(bytes(11), for: other)
    #expect(try await cache.read(other)?.created == time.date)
    try await cache.remove(key)
    try await cache.store(bytes(11), for: key)
    #expect(try await cache.read(key)?.created == time.date)
    // The age limit has passed for both.
    time.advance(by: .seconds(101))
    for key in [key, other] {
      try await cache.store(bytes(12), for: key)
      #expect(try await cache.read(key)?.created == time.date)
    }
    time.advance(by: .seconds(99))
    #expect(try await cache.read(key)?.data == bytes(12))
  }

  @Test func anInheritedAgeKeepsTheRecordWhole() async throws {
    let cache = cache(.firstStore)
    let metadata = RecordMetadata(contentType: "image/png", tags: ["a", "b"], user: ["x": "y"])
    try await cache.store(bytes(10), for: key)
    time.advance(by: .seconds(1))
    try await cache.store(bytes(5000, seed: 7), metadata: metadata, for: key)
    #expect(try await cache.read(key)?.metadata == metadata)
    let report = try await self.cache(.firstStore).verify()
    #expect(report.intact == 1 && report.damaged.isEmpty)
  }

  @Test(arguments: [DiskCache.Configuration.AgeOrigin.lastStore, .firstStore])
  func trimRemovesWhatWasReadButIsTooOld(origin: DiskCache.Configuration.AgeOrigin) async throws {
    let cache = cache(origin)
    try await cache.store(bytes(10), for: key)
    time.advance(by: .seconds(60))
    if origin == .firstStore { try await cache.store(bytes(20), for: key) }
    try await cache.store(bytes(10), for: other)
    #expect(try await cache.read(key) != nil)
    time.advance(by: .seconds(60))
    #expect(try await cache.trim().expired == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.record(key).path))
    #expect(try await cache.read(other) != nil)
  }
}
