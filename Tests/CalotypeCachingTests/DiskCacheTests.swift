import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

@Suite struct DiskCacheTests {
  private let key = CacheKey("https://example.org/image.png")

  @Test(arguments: [0, 1, 3900, 4096, 4097, 100_000, 5_000_000])
  func recordsComeBackAsTheyWereStored(size: Int) async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(folder.configuration(), now: { time.date })
    let metadata = RecordMetadata(
      contentType: "image/png", expires: time.date.addingTimeInterval(60), tags: ["ü", "", "ü"],
      user: ["a": "1", "": "empty", "b": ""])
    try await cache.store(bytes(size), metadata: metadata, for: key)
    let record = try #require(try await cache.read(key))
    #expect(record.data == bytes(size))
    #expect(record.data.startIndex == 0)
    #expect(record.metadata == metadata)
    #expect(record.created == time.date)
    #expect(record.accessed == time.date)
    #expect(try await cache.contains(key))
    // Another process would find it too.
    let other = DiskCache(folder.configuration(), now: { time.date })
    #expect(try await other.read(key)?.data == bytes(size))
  }

  @Test func headersLongerThanTheFirstReadComeBack() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    let key = CacheKey(String(repeating: "k", count: 60_000))
    let metadata = RecordMetadata(user: ["long": String(repeating: "v", count: 60_000)])
    try await cache.store(bytes(10_000), metadata: metadata, for: key)
    let record = try #require(try await cache.read(key))
    #expect(record.metadata == metadata)
    #expect(record.data == bytes(10_000))
  }

  @Test func initTouchesNoFileAndMissesAreNil() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    #expect(!FileManager.default.fileExists(atPath: folder.cache.path))
    #expect(try await cache.read(key) == nil)
    #expect(try await !cache.contains(key))
    #expect(try await !cache.remove(key))
    #expect(try await cache.removeAll() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.cache.path))
    #expect(try await cache.statistics().misses == 1)
  }

  @Test func whatIsTooLargeIsRefused() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration { $0.recordByteLimit = 1000 })
    await #expect(throws: CachingError.recordTooLarge(bytes: 1001, limit: 1000)) {
      try await cache.store(bytes(1001), for: key)
    }
    await #expect(throws: CachingError.self) { try await cache.store(bytes(1000), for: key) }
    let long = CacheKey(String(repeating: "k", count: 65537))
    let roomy = DiskCache(folder.configuration())
    await #expect(throws: CachingError.keyTooLong(bytes: 65537, limit: 65536)) {
      try await roomy.store(bytes(1), for: long)
    }
    await #expect(throws: CachingError.metadataTooLarge(bytes: 65542, limit: 65536)) {
      try await roomy.store(
        bytes(1), metadata: RecordMetadata(contentType: String(repeating: "e", count: 65536)), for: key)
    }
    #expect(try await roomy.statistics().count == 0)
  }

  @Test func filesAreForTheirOwnerOnlyAndTheFolderIsTagged() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration { $0.durability = .fsync })
    try await cache.store(bytes(10), for: key)
    var status = stat()
    #expect(lstat(folder.record(key).path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(lstat(folder.cache.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    let tag = try Data(contentsOf: folder.cache.appending(path: "CACHEDIR.TAG"))
    #expect(tag.starts(with: Data("Signature: 8a477f597d28d172789f06886806bc55".utf8)))
    #expect(folder.temporaries.isEmpty)
  }

  @Test func recordsDieWhenTheyAreNotReadForTooLong() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(folder.configuration { $0.maxAge = .seconds(100) }, now: { time.date })
    try await cache.store(bytes(10), for: key)
    for _ in 0..<3 {
      // Each read is an access and starts the time anew.
      time.advance(by: .seconds(90))
      #expect(try await cache.read(key) != nil)
    }
    time.advance(by: .seconds(101))
    #expect(try await !cache.contains(key))
    #expect(try await cache.read(key) == nil)
    // Removed by the thread that writes.
    try await cache.flush()
    #expect(!FileManager.default.fileExists(atPath: folder.record(key).path))
    #expect(try await cache.statistics().expired == 1)
  }

  @Test func accessTimesAreWrittenAtMostOnceInAWhile() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let files = FaultyFileSystem()
    let cache = DiskCache(folder.configuration(), fileSystem: files, now: { time.date })
    try await cache.store(bytes(10), for: key)
    for _ in 0..<10 { _ = try await cache.read(key) }
    #expect(files.calls(.touch) == 0)
    time.advance(by: .seconds(61))
    for _ in 0..<10 { _ = try await cache.read(key) }
    #expect(files.calls(.touch) == 1)
    #expect(try await cache.read(key)?.accessed == time.date)
  }

  @Test func expiresIsTheEndHoweverOftenRead() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(folder.configuration(), now: { time.date })
    let metadata = RecordMetadata(expires: time.date.addingTimeInterval(10))
    try await cache.store(bytes(10), metadata: metadata, for: key)
    time.advance(by: .seconds(9))
    #expect(try await cache.read(key) != nil)
    time.advance(by: .seconds(1))
    #expect(try await !cache.contains(key))
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.statistics().expired == 1)
  }

  @Test func aClockThatWentBackKeepsRecords() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(folder.configuration(), now: { time.date })
    try await cache.store(bytes(10), for: key)
    time.advance(by: .seconds(-1_000_000))
    #expect(try await cache.read(key) != nil)
    #expect(try await cache.trim().count == 1)
  }

  @Test func leastRecentlyUsedLeaveUnderTheByteLimit() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(
      folder.configuration {
        $0.byteLimit = 100_000
        $0.lowWatermark = 0.8
        $0.touchInterval = .seconds(1)
      }, now: { time.date }, clock: time.clock)
    #expect(try await cache.statistics().bytes == 0)
    let keys = (0..<12).map { CacheKey("key \($0)") }
    for key in keys[..<9] {
      try await cache.store(bytes(10_000), for: key)
      time.advance(by: .seconds(10))
    }
    _ = try await cache.read(keys[0])
    time.advance(by: .seconds(10))
    try await cache.store(bytes(10_000), for: keys[9])
    // Ten records and their headers passed the limit; seven fit under the low mark.
    var left: [Bool] = []
    for key in keys[..<10] { left.append(try await cache.contains(key)) }
    #expect(left == [true, false, false, false, true, true, true, true, true, true])
    let statistics = try await cache.statistics()
    #expect(statistics.evictions == 3)
    #expect(statistics.count == 7)
    #expect(statistics.bytes == (7 * (10_000 + 64 + 5)))
  }

  @Test func countLimitHolds() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(
      folder.configuration {
        $0.countLimit = 10
        $0.lowWatermark = 0.5
      }, now: { time.date })
    _ = try await cache.statistics()
    for number in 0..<11 {
      time.advance(by: .seconds(1))
      try await cache.store(bytes(1), for: CacheKey("key \(number)"))
    }
    #expect(try await cache.trim().count == 5)
    #expect(try await cache.read(CacheKey("key 10")) != nil)
  }

  @Test func theFirstScanFindsWhatEarlierProcessesLeft() async throws {
    let folder = try TemporaryFolder()
    let old = DiskCache(folder.configuration())
    for number in 0..<20 { try await old.store(bytes(10_000), for: CacheKey("key \(number)")) }
    // No step of an eviction is too long by a clock that stands still.
    let cache = DiskCache(folder.configuration { $0.byteLimit = 100_000 }, clock: TestClock())
    let statistics = try await cache.statistics()
    #expect(statistics.bytes <= 90_000)
    #expect(statistics.evictions == 12)
    #expect(try await cache.trim().bytes == statistics.bytes)
  }

  @Test func replacingCountsOnce() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    _ = try await cache.statistics()
    for number in 0..<5 { try await cache.store(bytes(1000 * number), for: key) }
    #expect(try await cache.read(key)?.data == bytes(4000))
    let statistics = try await cache.statistics()
    #expect(statistics.count == 1)
    #expect(statistics.bytes == 4000 + 64 + key.text.utf8.count)
    #expect(try await cache.remove(key))
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.statistics().bytes == 0)
  }

  @Test func aFolderDeletedUnderTheCacheIsMadeAgain() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    for round in 0..<3 {
      try await cache.store(bytes(100, seed: UInt64(round)), for: key)
      #expect(try await cache.read(key)?.data == bytes(100, seed: UInt64(round)))
      try FileManager.default.removeItem(at: folder.cache)
      #expect(try await cache.read(key) == nil)
    }
    #expect(try await cache.trim().count == 0)
  }

  @Test func twoCachesShareAFolder() async throws {
    let folder = try TemporaryFolder()
    let configuration = folder.configuration {
      $0.byteLimit = 60_000
      $0.maxAge = nil
    }
    let caches = [DiskCache(configuration), DiskCache(configuration)]
    await withThrowingTaskGroup { group in
      for task in 0..<6 {
        group.addTask {
          for step in 0..<60 {
            let number = UInt64((step &* 31 &+ task &* 17) % 12)
            let cache = caches[(step + task) % 2]
            let key = CacheKey("shared \(number)")
            switch step % 5 {
            case 0, 1: try await cache.store(bytes(8_000, seed: number), for: key)
            case 4 where step % 10 == 9: try await cache.remove(key)
            case 4 where step == 34: try await cache.removeAll()
            default:
              let record = try await cache.read(key)
              #expect(record == nil || record?.data == bytes(8_000, seed: number))
            }
          }
        }
      }
      await #expect(throws: Never.self) { try await group.waitForAll() }
    }
    #expect(try await caches[0].trim().bytes <= 60_000)
    #expect(try await caches[0].statistics().damaged == 0)
    #expect(folder.temporaries.isEmpty)
  }

  @Test func cancelledCallersGetATypedError() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    let key = key
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await cache.store(bytes(10), for: key)
    }
    await #expect(throws: CachingError.cancelled) { try await task.value }
    #expect(try await cache.read(key) == nil)
  }

  @Test func defaultFolderFollowsTheBaseDirectorySpecification() {
    typealias Configuration = DiskCache.Configuration
    #expect(
      Configuration.defaultFolder(environment: ["XDG_CACHE_HOME": "/x", "HOME": "/h"]).path == "/x/calotype")
    #expect(
      Configuration.defaultFolder(environment: ["XDG_CACHE_HOME": "x", "HOME": "/h"]).path
        == "/h/.cache/calotype")
    #expect(Configuration.defaultFolder(environment: [:]).path.hasPrefix("/"))
  }
}
