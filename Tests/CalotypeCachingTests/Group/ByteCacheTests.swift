import ByteCache
import CalotypeCaching
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

/// The example of a cache that a program brings along.
@Suite("A cache of a program's own")
struct ByteCacheTests {
  private func key(_ name: String) -> CacheKey { CacheKey(name, source: "source/\(name)") }

  private func store(_ text: String, as name: String, in cache: ByteCache) async throws {
    try await cache.store(Data(text.utf8), metadata: .init(contentType: "image/png"), for: key(name))
  }

  @Test func keepsWhatItIsGiven() async throws {
    let cache = ByteCache(byteLimit: 100)
    #expect(await cache.read(key("a")) == nil)
    // A slice, whose indices do not begin at zero.
    try await cache.store(Data("xyz".utf8).dropFirst(), metadata: .init(tags: ["1"]), for: key("a"))
    let record = try #require(await cache.read(key("a")))
    #expect(record.data == Data("yz".utf8) && record.data.startIndex == 0)
    #expect(record.metadata.tags == ["1"])
    #expect(try await cache.contains(key("a")))
    #expect(await cache.byteCount == 2)
    #expect(await cache.remove(key("a")))
    #expect(await !cache.remove(key("a")))
    #expect(await cache.byteCount == 0)
  }

  @Test func theLeastRecentlyUsedGoFirst() async throws {
    let cache = ByteCache(byteLimit: 10)
    for name in ["a", "b", "c"] { try await store("123", as: name, in: cache) }
    _ = await cache.read(key("a"))
    try await store("123", as: "d", in: cache)
    #expect(try await !cache.contains(key("b")))
    for name in ["a", "c", "d"] { #expect(try await cache.contains(key(name))) }
    // One as large as all.
    try await store("0123456789", as: "e", in: cache)
    #expect(await cache.byteCount == 10)
    #expect(await cache.removeAll() == 1)
    #expect(await cache.byteCount == 0)
    try await store("123", as: "a", in: cache)
    #expect(await cache.byteCount == 3)
  }

  @Test func whatIsTooLargeIsRefused() async throws {
    let cache = ByteCache(byteLimit: 3)
    try await store("123", as: "a", in: cache)
    await #expect(throws: CachingError.recordTooLarge(bytes: 4, limit: 3)) {
      try await store("1234", as: "a", in: cache)
    }
    #expect(await cache.read(key("a")) == nil)
    #expect(await cache.byteCount == 0)
  }

  @Test func expires() async throws {
    let time = Lock(Date(timeIntervalSince1970: 100))
    let cache = ByteCache(byteLimit: 100, now: { time.withLock { $0 } })
    try await cache.store(
      Data("x".utf8), metadata: .init(expires: Date(timeIntervalSince1970: 200)), for: key("a"))
    #expect(try await cache.contains(key("a")))
    time.withLock { $0 = Date(timeIntervalSince1970: 200) }
    #expect(await cache.read(key("a")) == nil)
    #expect(await cache.byteCount == 0)
  }

  @Test func selections() async throws {
    let cache = ByteCache(byteLimit: 100)
    for name in ["a", "aa", "b"] { try await store("123", as: name, in: cache) }
    #expect(await cache.removeAll(.sourcePrefix("source/a")) == 2)
    #expect(await cache.removeAll(.tag("x")) == 0)
    #expect(await cache.removeAll(.source("source/b")) == 1)
    #expect(await cache.byteCount == 0)
  }

  /// Against a list, with calls of all kinds.
  @Test func keepsItsOrder() async throws {
    let cache = ByteCache(byteLimit: 40)
    var model: [(name: String, count: Int)] = []
    var number: UInt64 = 1
    for _ in 0..<3_000 {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let name = "\(number >> 33 % 12)"
      let known = model.firstIndex { $0.name == name }
      switch number >> 60 {
      case 0..<7:
        let count = Int(number >> 40 % 12)
        if let known { model.remove(at: known) }
        model.append((name, count))
        while model.reduce(0, { $0 + $1.count }) > 40 { model.removeFirst() }
        try await cache.store(Data(repeating: 1, count: count), metadata: .init(), for: key(name))
      case 7..<13:
        #expect(await cache.read(key(name))?.data.count == known.map { model[$0].count })
        if let known { model.append(model.remove(at: known)) }
      default:
        #expect(await cache.remove(key(name)) == (known != nil))
        if let known { model.remove(at: known) }
      }
      #expect(await cache.byteCount == model.reduce(0) { $0 + $1.count })
    }
  }

  @Test func aboveACacheOnDisk() async throws {
    let folder = try TemporaryFolder()
    let disk = DiskCache(.init(folder: folder.url))
    let memory = ByteCache(byteLimit: 100)
    let group = CacheGroup([memory, disk], policies: .init(store: .concurrent))
    try await group.store(Data("abc".utf8), metadata: .init(contentType: "image/png"), for: key("a"))
    #expect(try await disk.contains(key("a")))
    #expect(await memory.removeAll() == 1)
    let record = try #require(try await group.read(key("a")))
    #expect(record.data == Data("abc".utf8) && record.metadata.contentType == "image/png")
    #expect(try await memory.contains(key("a")))
    #expect(try await group.removeAll() == 2)
    #expect(try await group.read(key("a")) == nil)
  }
}
