import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Stores that were handed over: readable at once, written later, in the order they came.
@Suite struct HandOverTests {
  private let key = CacheKey("key")
  private let disk: FaultyDisk

  init() throws {
    disk = try FaultyDisk()
  }

  @Test func whatWasHandedOverIsReadableAtOnce() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    let metadata = RecordMetadata(contentType: "image/png", tags: ["a"])
    let pending = try cache.handOver(bytes(5000), metadata: metadata, for: key)
    let record = try await cache.read(key)
    #expect(record?.data == bytes(5000))
    #expect(record?.metadata == metadata)
    #expect(try await cache.contains(key))
    #expect(!FileManager.default.fileExists(atPath: disk.folder.record(key).path))
    gate.open()
    try await pending.written()
    #expect(FileManager.default.fileExists(atPath: disk.folder.record(key).path))
    #expect(try await cache.read(key)?.metadata == metadata)
    let statistics = try await cache.statistics()
    #expect(statistics.stagedBytes == 0 && statistics.stores == 1 && statistics.hits == 2)
  }

  @Test func oneThatIsOverBeforeItIsWrittenIsAMiss() async throws {
    let time = ManualTime()
    let cache = disk.cache(now: { time.date })
    let gate = disk.holdWrites()
    try cache.handOver(bytes(10), metadata: .init(expires: time.date.addingTimeInterval(5)), for: key)
    #expect(try await cache.read(key) != nil)
    time.advance(by: .seconds(5))
    #expect(try await cache.read(key) == nil)
    #expect(try await !cache.contains(key))
    gate.open()
    try await cache.flush()
    #expect(try await cache.read(key) == nil)
  }

  @Test(arguments: [false, true])
  func storeThenRemoveLeavesNothing(hasOld: Bool) async throws {
    let cache = disk.cache()
    if hasOld { try await cache.store(bytes(10), for: key) }
    let gate = disk.holdWrites()
    let first = try cache.handOver(bytes(100), for: CacheKey("first"))
    await gate.reached()
    let pending = try cache.handOver(bytes(5000), for: key)
    async let removal = cache.remove(key)
    try await eventually { try await cache.read(key) == nil }
    gate.open()
    #expect(try await removal == hasOld)
    try await pending.written()
    try await first.written()
    #expect(try await cache.read(key) == nil)
    #expect(disk.folder.walk().count == 1)
    #expect(try await cache.statistics().count == 1)
  }

  @Test(arguments: [1, 10])
  func removeThenStoreLeavesTheNewValue(others: Int) async throws {
    let cache = disk.cache()
    try await cache.store(bytes(10), for: key)
    let gate = disk.holdWrites()
    for number in 0..<others { try cache.handOver(bytes(100), for: CacheKey("other \(number)")) }
    await gate.reached()
    let key = key
    let removal = Task { try await cache.remove(key) }
    try await eventually { try await cache.read(key) == nil }
    try cache.handOver(bytes(5000), for: key)
    #expect(try await cache.read(key)?.data == bytes(5000))
    gate.open()
    #expect(try await removal.value)
    try await cache.flush()
    #expect(try await cache.read(key)?.data == bytes(5000))
    #expect(try await DiskCache(disk.folder.configuration()).read(key)?.data == bytes(5000))
    let statistics = try await DiskCache(disk.folder.configuration()).statistics()
    #expect(statistics.count == others + 1 && statistics.bytes == disk.folder.walk().bytes)
  }

  @Test func removeAllThenStoreKeepsOnlyTheNew() async throws {
    let cache = disk.cache()
    for number in 0..<5 { try await cache.store(bytes(100), for: CacheKey("\(number)")) }
    let gate = Gate()
    disk.files.intercept { operation, _ throws(FileSystemError) in
      if operation == .list { gate.wait() }
    }
    let clearing = Task { try await cache.removeAll() }
    await gate.reached()
    try cache.handOver(bytes(5000), for: CacheKey("1"))
    gate.open()
    #expect(try await clearing.value == 5)
    try await cache.flush()
    #expect(try await cache.entries().map(\.key) == ["1"])
    #expect(try await cache.read(CacheKey("1"))?.data == bytes(5000))
  }

  @Test func whatIsStoredWhileASelectionIsRemovedStays() async throws {
    let cache = disk.cache()
    try await cache.store(bytes(100), metadata: .init(tags: ["a"]), for: key)
    let path = disk.folder.record(key).path
    let gate = Gate()
    disk.files.intercept { operation, name throws(FileSystemError) in
      // Its header is looked at by another thread than the one that writes.
      if operation == .open, name == path { gate.wait() }
    }
    let removal = Task { try await cache.removeAll(.tag("a")) }
    await gate.reached()
    let pending = try cache.handOver(bytes(200), metadata: .init(tags: ["b"]), for: key)
    try await pending.written()
    gate.open()
    #expect(try await removal.value == 0)
    #expect(try await cache.read(key)?.data == bytes(200))
  }

  @Test func supersededStoresEndWithTheOneThatTookTheirPlace() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    try cache.handOver(bytes(1), for: CacheKey("first"))
    await gate.reached()
    var pending: [DiskCache.PendingStore] = []
    for number in 1...50 { pending.append(try cache.handOver(bytes(100 * number), for: key)) }
    #expect(try await cache.read(key)?.data == bytes(5000))
    gate.open()
    for store in pending { try await store.written() }
    #expect(try await DiskCache(disk.folder.configuration()).read(key)?.data == bytes(5000))
    #expect(try await cache.statistics().stores == 2)

    // None of them is on disk when the last one fails.
    let second = disk.holdWrites()
    try cache.handOver(bytes(2), for: CacheKey("first"))
    await second.reached()
    pending = try (1...3).map { try cache.handOver(bytes($0), for: key) }
    disk.files.fail(.rename, with: EIO)
    second.open()
    for store in pending { await #expect(throws: CachingError.self) { try await store.written() } }
    #expect(try await cache.read(key)?.data == bytes(5000))
    disk.files.heal()
    #expect(try await cache.statistics().failures == 2)
  }

  @Test func whatCannotBeStoredDoesNotTakeThePlaceOfWhatCan() async throws {
    let cache = disk.cache()
    let gate = disk.holdWrites()
    try cache.handOver(bytes(1), for: CacheKey("first"))
    await gate.reached()
    let pending = try cache.handOver(bytes(100), for: key)
    #expect(throws: CachingError.metadataTooLarge(bytes: 65542, limit: 65536)) {
      try cache.handOver(
        bytes(1), metadata: RecordMetadata(contentType: String(repeating: "e", count: 65536)), for: key)
    }
    #expect(try await cache.read(key)?.data == bytes(100))
    gate.open()
    try await pending.written()
    #expect(try await cache.read(key)?.data == bytes(100))
  }

  @Test func aFullQueueRefusesAndStoresWait() async throws {
    let key = key
    let cache = disk.cache { $0.stagingByteLimit = 10_000 }
    let gate = disk.holdWrites()
    try cache.handOver(bytes(6000), for: CacheKey("first"))
    await gate.reached()
    let error = #expect(throws: CachingError.self) { try cache.handOver(bytes(6000), for: key) }
    guard case .queueFull(let waiting, 10_000) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(waiting > 6000)
    #expect(error?.isRetryable == true)
    #expect(try await cache.read(key) == nil)
    // A store is in step with the disk instead, and removals need no room.
    let store = Task { try await cache.store(bytes(6000), for: key) }
    let removal = Task { try await cache.remove(CacheKey("other")) }
    gate.open()
    try await store.value
    #expect(try await !removal.value)
    #expect(try await cache.read(key)?.data.count == 6000)
    // One that is larger than all that may wait is taken when nothing does.
    let large = try cache.handOver(bytes(50_000), for: key)
    try await cache.remove(CacheKey("first"))
    try await large.written()
    #expect(try await cache.statistics().count == 1)
  }
}
