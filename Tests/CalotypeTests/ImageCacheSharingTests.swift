import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// Queries of an image cache at the same time.
@Suite("Image caches: shared work and bounds", .timeLimit(.minutes(1)))
struct ImageCacheSharingTests {
  private let disk = FaultyCache()
  private let decoder = CountingDecoder()

  private func cache(
    disk: (any DataCaching)? = nil, memory: MemoryCache<CachedImage>? = MemoryCache(byteLimit: 64 << 20),
    _ change: (inout ImageCache.Configuration) -> Void = { _ in }
  ) -> ImageCache {
    var configuration = ImageCache.Configuration()
    configuration.coders.register(decoder)
    change(&configuration)
    return ImageCache(configuration, memory: memory, disk: disk ?? self.disk)
  }

  private func fill(_ keys: String...) async throws {
    for key in keys { try await cache().store(try #require(Samples.stream), for: key) }
  }

  @Test("equal queries share a read and a decode")
  func sharing() async throws {
    try await fill("a")
    let (cache, gate) = (cache(), Gate())
    disk.hold(.read, at: gate)
    let small = Thumbnail.fit(width: 100, height: 100)
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { try await cache.image(for: "a", thumbnail: small)?.width } }
      try await eventually { try await cache.statistics().joined == 19 }
      #expect(try await cache.statistics().running == 1)
      gate.open()
      for try await width in group { #expect(width == 100) }
    }
    #expect(disk.calls(.read) == 1 && decoder.decodes == 1)
    let statistics = try await cache.statistics()
    #expect(statistics.decodes == 1 && statistics.waiting == 0 && statistics.running == 0)
    #expect(statistics.peakWaiting == 20)
    #expect(cache.imageInMemory(for: "a", thumbnail: small) != nil)
  }

  @Test("a query that is cancelled leaves the others their work, and the last one ends it")
  func cancellation() async throws {
    try await fill("a")
    let (cache, gate) = (cache(), Gate())
    disk.hold(.read, at: gate)
    let tasks = (0..<3).map { _ in Task { try await cache.image(for: "a")?.width } }
    try await eventually { try await cache.statistics().joined == 2 }
    tasks[0].cancel()
    await #expect(throws: CachingError.cancelled) { try await tasks[0].value }
    tasks[2].cancel()
    await #expect(throws: CachingError.cancelled) { try await tasks[2].value }
    gate.open()
    #expect(try await tasks[1].value == 1731)
    #expect(disk.calls(.read) == 1 && decoder.decodes == 1)

    // When all have left, nothing is decoded.
    let second = self.cache()
    let closed = Gate()
    disk.hold(.read, at: closed)
    let lonely = Task { try await second.image(for: "a")?.width }
    try await eventually { try await second.statistics().running == 1 }
    lonely.cancel()
    await #expect(throws: CachingError.cancelled) { try await lonely.value }
    try await eventually { try await second.statistics().running == 0 }
    #expect(decoder.decodes == 1 && second.imageInMemory(for: "a") == nil)
    // A query that begins in a cancelled task.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await second.image(for: "a")?.width
    }
    await #expect(throws: CachingError.cancelled) { try await late.value }
  }

  @Test("a query that a store or a removal overtakes does not fill memory, and is not joined")
  func overtakenQueries() async throws {
    let changes: [(String, @Sendable (ImageCache) async throws -> Void, UInt8?)] = [
      ("store", { try await $0.store(try Badge.image(2), for: "a") }, 2),
      ("remove", { try await $0.remove("a") }, nil),
      ("tag", { try await $0.removeAll(tag: "x") }, nil),
      ("all", { try await $0.removeAll() }, nil),
    ]
    for (name, change, left) in changes {
      for memory in [MemoryCache(byteLimit: 1 << 20), nil] as [MemoryCache<CachedImage>?] {
        let disk = FaultyCache()
        let held = HeldReads(disk)
        let cache = cache(disk: held, memory: memory)
        try await cache.store(try Badge.image(1), for: "a", in: .disk, options: .init(tags: ["x"]))
        let early = Task { try await cache.image(for: "a").map { Badge.number(of: $0) } }
        try await held.arrived.wait()
        try await change(cache)
        held.gate.open()
        // It may have either.
        #expect([1, left].contains(try await early.value), "\(name)")
        #expect(
          cache.imageInMemory(for: "a").map { Badge.number(of: $0) } == (memory == nil ? nil : left),
          "\(name)")
        #expect(try await cache.image(for: "a").map { Badge.number(of: $0) } == left, "\(name)")
      }
    }
  }

  /// Holds the results of reads until a gate is open.
  private final class HeldReads: DataCaching {
    let base: FaultyCache
    let (arrived, gate) = (Gate(), Gate())

    init(_ base: FaultyCache) { self.base = base }

    func read(_ key: CacheKey) async throws(CachingError) -> CacheRecord? {
      let record = try await base.read(key)
      arrived.open()
      do { try await gate.wait() } catch { throw .cancelled }
      return record
    }

    func store(_ data: Data, metadata: RecordMetadata, for key: CacheKey) async throws(CachingError) {
      try await base.store(data, metadata: metadata, for: key)
    }
    func contains(_ key: CacheKey) async throws(CachingError) -> Bool { try await base.contains(key) }
    func remove(_ key: CacheKey) async throws(CachingError) -> Bool { try await base.remove(key) }
    func removeAll(_ selection: CacheSelection) async throws(CachingError) -> Int {
      try await base.removeAll(selection)
    }
    func removeAll() async throws(CachingError) -> Int { try await base.removeAll() }
    func flush() async throws(CachingError) { try await base.flush() }
  }

  @Test("a removal of an unusable record spares the one that was stored meanwhile")
  func discardingIsCareful() async throws {
    try await disk.store(Data("<html>".utf8), metadata: .init(), for: ImageKeySpace(name: "images").key("a"))
    let held = HeldReads(disk)
    let cache = cache(disk: held)
    let query = Task { try await cache.image(for: "a").map { Badge.number(of: $0) } }
    try await held.arrived.wait()
    try await cache.store(try Badge.image(5), for: "a")
    held.gate.open()
    #expect(try await query.value == 5)
    #expect(try await cache.data(for: "a") != nil)
  }

  @Test("stores of one key take turns, so that both tiers have the same image")
  func concurrentStores() async throws {
    let cache = cache()
    for _ in 0..<20 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...8 as ClosedRange<UInt8> {
          group.addTask { try await cache.store(try Badge.image(number), for: "a") }
        }
        try await group.waitForAll()
      }
      let inMemory = try #require(cache.imageInMemory(for: "a"))
      #expect(try await self.cache().image(for: "a")?.bitmap == inMemory.bitmap)
    }
  }

  @Test("few queries run at a time, and no more than the limit wait")
  func bounds() async throws {
    let keys = (0..<40).map { "\($0)" }
    for key in keys { try await cache().store(try Badge.image(1), for: key) }
    let cache = cache {
      $0.concurrency = 2
      $0.waitingLimit = 40
    }
    let gate = Gate()
    disk.hold(.read, at: gate)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for key in keys { group.addTask { try await cache.image(for: key) != nil } }
      try await eventually { try await cache.statistics().waiting == 40 }
      #expect(try await cache.statistics().running == 4)
      try await eventually { disk.calls(.read) == 4 }
      await #expect(throws: CachingError.overloaded(waiting: 40)) { try await cache.image(for: "x") }
      await #expect(throws: CachingError.overloaded(waiting: 40)) { try await cache.image(for: "0") }
      await #expect(throws: CachingError.overloaded(waiting: 40)) {
        try await cache.store(try Badge.image(1), for: "x")
      }
      #expect(CachingError.overloaded(waiting: 40).isRetryable)
      gate.open()
      for try await isFound in group { #expect(isFound) }
    }
    let statistics = try await cache.statistics()
    #expect(statistics.peakRunning == 4 && statistics.peakWaiting == 40 && statistics.refused == 3)
    #expect(statistics.running == 0 && statistics.waiting == 0)
    #expect(try await cache.image(for: "x") == nil)
  }

  @Test("queries that were cancelled before their turn free it")
  func cancelledBeforeTheirTurn() async throws {
    for key in ["a", "b", "c"] { try await cache().store(try Badge.image(1), for: key) }
    let cache = cache { $0.concurrency = 1 }
    let gate = Gate()
    disk.hold(.read, at: gate)
    let running = ["a", "b"].map { key in Task { try await cache.image(for: key) != nil } }
    try await eventually { try await cache.statistics().running == 2 }
    let waiting = Task { try await cache.image(for: "c") != nil }
    try await eventually { try await cache.statistics().waiting == 3 }
    waiting.cancel()
    await #expect(throws: CachingError.cancelled) { try await waiting.value }
    #expect(try await cache.statistics().waiting == 2)
    gate.open()
    for task in running { #expect(try await task.value) }
    #expect(disk.calls(.read) == 2)
    #expect(try await cache.image(for: "c") != nil)
  }

  @Test("10,000 stores and queries of 8 tasks return nothing wrong")
  func manyAtOnce() async throws {
    let folder = try CacheFolder()
    let cache = ImageCache(memory: MemoryCache(byteLimit: 64 << 10), disk: folder.diskCache())
    // Each key has one writer; all read.
    let newest = (0..<40).map { _ in Lock<UInt8>(0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for step in 0..<625 {
            let own = task * 5 + step % 5
            let number = UInt8(step / 5 + 1)
            // Six bits of the key and a number, in two bytes.
            try await cache.store(try Self.image(own, number), for: "key \(own)")
            newest[own].withLock { $0 = number }
            let key = (step * 7 + task * 11) % 40
            let least = newest[key].withLock { $0 }
            let image = try await cache.image(for: "key \(key)")
            if least > 0 {
              let found = try #require(image)
              #expect(Self.key(of: found) == key && Badge.number(of: found) >= least)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let statistics = try await cache.statistics()
    #expect(statistics.discarded == 0 && statistics.disk?.damaged == 0 && statistics.waiting == 0)
    #expect(statistics.memory?.evictions ?? 0 > 0 && statistics.decodes > 100)
    let other = ImageCache(memory: nil, disk: folder.diskCache())
    for key in 0..<40 {
      let image = try #require(try await other.image(for: "key \(key)"))
      #expect(Self.key(of: image) == key && Badge.number(of: image) == 125)
    }
  }

  private static func image(_ key: Int, _ number: UInt8) throws -> Image {
    let bitmap = try Bitmap(size: PixelSize(width: 8, height: 8)) { pixels in
      for index in 0..<64 {
        for (offset, byte) in [number, UInt8(key), 9, 254].enumerated() { pixels[index * 4 + offset] = byte }
      }
      return false
    }
    return Image(bitmap: bitmap)
  }

  private static func key(of image: Image) -> Int { image.bitmap.withUnsafeBytes { Int($0[1]) } }
}
