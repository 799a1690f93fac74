import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Testing

/// A cache that keeps what it is told, and fails when it is told.
@Suite("Faulty cache", .timeLimit(.minutes(5)))
struct FaultyCacheTests {
  private let time = ManualTime()
  private let cache: FaultyCache
  private let key = CacheKey("a")

  init() {
    cache = FaultyCache(now: { [time] in time.date })
  }

  @Test("records come back as they were stored, with indices from zero")
  func stores() async throws {
    let metadata = RecordMetadata(contentType: "image/png", tags: ["x"])
    try await cache.store(Data(0..<10)[4..<8], metadata: metadata, for: key)
    time.advance(by: .seconds(5))
    let record = try #require(try await cache.read(key))
    #expect(record.data == Data(4..<8) && record.data.startIndex == 0 && record.metadata == metadata)
    #expect(record.created == record.accessed)
    #expect(try await cache.read(key)?.accessed == record.created.addingTimeInterval(5))
    #expect(try await cache.contains(key))
    try await cache.flush()
    #expect(cache.keys == [key] && cache.record(key)?.data == Data(4..<8))
    #expect(cache.calls(.read) == 2 && cache.calls(.store) == 1 && cache.calls(.flush) == 1)
  }

  @Test("what has expired is gone, and not counted among what is removed")
  func expires() async throws {
    let metadata = RecordMetadata(expires: time.date.addingTimeInterval(10))
    for text in ["a", "b", "c"] { try await cache.store(Data(), metadata: metadata, for: CacheKey(text)) }
    time.advance(by: .seconds(9))
    #expect(try await cache.remove(CacheKey("b")))
    #expect(cache.keys.map(\.text) == ["a", "c"])
    time.advance(by: .seconds(1))
    #expect(cache.keys.isEmpty)
    #expect(try await cache.read(key) == nil)
    #expect(try await !cache.contains(key))
    #expect(try await !cache.remove(CacheKey("c")))
    #expect(try await cache.removeAll() == 0)
  }

  @Test("selections and everything")
  func removes() async throws {
    for (text, tags) in [("a1", ["x"]), ("a2", []), ("b1", ["x"]), ("b2", [])] {
      try await cache.store(Data([1]), metadata: RecordMetadata(tags: tags), for: CacheKey(text))
    }
    #expect(try await cache.removeAll(.sourcePrefix("a")) == 2)
    #expect(try await cache.removeAll(.tag("x")) == 1)
    #expect(try await cache.removeAll() == 1)
    #expect(cache.calls(.removeAll) == 3)
  }

  @Test("each verb fails as told, as often as told, and changes nothing then")
  func fails() async throws {
    let error = CachingError.diskFull(path: "/cache")
    try await cache.store(Data([1]), metadata: RecordMetadata(), for: key)
    for verb in FaultyCache.Verb.allCases { cache.fail(verb, with: error, times: 1) }
    await #expect(throws: error) { try await cache.store(Data([2]), metadata: RecordMetadata(), for: key) }
    await #expect(throws: error) { try await cache.read(key) }
    await #expect(throws: error) { try await cache.contains(key) }
    await #expect(throws: error) { try await cache.remove(key) }
    await #expect(throws: error) { try await cache.removeAll() }
    await #expect(throws: error) { try await cache.flush() }
    #expect(try await cache.read(key)?.data == Data([1]))
    cache.fail(.read, with: error)
    for _ in 0..<3 { await #expect(throws: error) { try await cache.read(key) } }
    cache.heal()
    #expect(try await cache.read(key) != nil)
    #expect(cache.calls(.read) == 6)
  }

  @Test("calls are held at a gate; a cancelled one says so")
  func holds() async throws {
    let gate = Gate()
    cache.hold(.store, at: gate)
    let (cache, key) = (cache, key)
    let given = Task { try await cache.store(Data([1]), metadata: RecordMetadata(), for: key) }
    let stays = Task { try await cache.store(Data([2]), metadata: RecordMetadata(), for: key) }
    try await cache.waitForCalls(.store, count: 2)
    given.cancel()
    await #expect(throws: CachingError.cancelled) { try await given.value }
    #expect(cache.keys.isEmpty)
    gate.open()
    try await stays.value
    #expect(cache.record(key)?.data == Data([2]))
  }
}
