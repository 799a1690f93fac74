import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Stores leave the free space of the file system above the floor.
@Suite(.timeLimit(.minutes(1))) struct FreeSpaceTests {
  private let disk: FaultyDisk
  private let time = ManualTime()
  /// Bytes that other programs use of a device with ``total`` bytes.
  private let others = Lock(0)
  private static let total = 1 << 20

  init() throws {
    disk = try FaultyDisk()
    let (folder, others) = (disk.folder, others)
    disk.files.reportSpace {
      let (walked, used) = (folder.walk(), others.withLock { $0 })
      return (Self.total, max(0, Self.total - used - walked.bytes - walked.unfinished))
    }
  }

  private func cache(
    floor: DiskCache.Configuration.FreeSpaceFloor,
    _ change: (inout DiskCache.Configuration) -> Void = { _ in }
  ) -> DiskCache {
    DiskCache(
      disk.folder.configuration {
        $0.freeSpaceFloor = floor
        change(&$0)
      }, fileSystem: disk.files, now: { [time] in time.date }, clock: time.clock)
  }

  private var free: Int { Self.total - others.withLock { $0 } - disk.folder.walk().bytes }

  @Test func storesEvictToKeepTheFloor() async throws {
    let cache = cache(floor: .bytes(300_000))
    for number in 0..<100 as Range<UInt64> {
      time.advance(by: .seconds(1))
      try await cache.store(bytes(20_000, seed: number), for: CacheKey("\(number)"))
      #expect(free >= 300_000)
    }
    #expect(try await cache.read(CacheKey("99"))?.data == bytes(20_000, seed: 99))
    #expect(try await cache.read(CacheKey("0")) == nil)
    let statistics = try await cache.statistics()
    #expect(statistics.evictions > 50 && statistics.count > 20)
    #expect(statistics.failures == 0 && statistics.belowFreeSpaceFloor == 0)
    #expect(statistics.bytes == disk.folder.walk().bytes)
  }

  @Test func withoutAFloorTheDeviceMayBeFilled() async throws {
    for floor in [DiskCache.Configuration.FreeSpaceFloor.none, .bytes(0), .bytes(-1)] {
      let cache = cache(floor: floor)
      for number in 0..<50 as Range<UInt64> {
        try await cache.store(bytes(20_000, seed: number), for: CacheKey("\(number)"))
      }
      #expect(free < 50_000)
      try await cache.removeAll()
    }
    #expect(disk.files.calls(.space) == 0)
  }

  @Test func theAutomaticFloorIsATwentiethAndAtMostAGigabyte() {
    let floor = DiskCache.Configuration.FreeSpaceFloor.automatic
    #expect(DiskCache.Configuration().freeSpaceFloor == floor)
    #expect(floor.bytes(of: 1_000_000) == 50_000)
    #expect(floor.bytes(of: 20 << 30) == 1 << 30)
    #expect(floor.bytes(of: 20 << 40) == 1 << 30)
    #expect(floor.bytes(of: -1) == 0)
    #expect(DiskCache.Configuration.FreeSpaceFloor.bytes(.max).bytes(of: 1) > 1 << 60)
  }

  @Test func otherProgramsFillTheDevice() async throws {
    let cache = cache(floor: .bytes(100_000))
    for number in 0..<10 as Range<UInt64> {
      time.advance(by: .seconds(1))
      try await cache.store(bytes(20_000, seed: number), for: CacheKey("\(number)"))
    }
    // They leave less than the floor, and removing some records is enough.
    others.withLock { $0 = Self.total - 290_000 }
    time.advance(by: .seconds(1))
    try await cache.store(bytes(20_000, seed: 10), for: CacheKey("10"))
    #expect(free >= 100_000)
    #expect(try await cache.statistics().count < 11)
    #expect(try await cache.read(CacheKey("10"))?.data == bytes(20_000, seed: 10))
    // They leave so little that removing all would not be enough: what is there stays.
    others.withLock { $0 = Self.total - 205_000 }
    let before = try await cache.statistics()
    time.advance(by: .seconds(1))
    let error = await #expect(throws: CachingError.self) {
      try await cache.store(bytes(200_000), for: CacheKey("large"))
    }
    #expect(error == .belowFreeSpaceFloor(path: CacheLayout(folder: disk.folder.cache.path).version))
    #expect(error?.code == "cacheFreeSpaceFloor" && error?.isRetryable == true)
    let after = try await cache.statistics()
    #expect(after.count == before.count && after.evictions == before.evictions)
    #expect(after.belowFreeSpaceFloor == 1 && after.failures == 1 && after.lastFailure == error)
    #expect(disk.folder.temporaries.isEmpty)
    // There is room again.
    others.withLock { $0 = 0 }
    try await cache.store(bytes(200_000), for: CacheKey("large"))
    #expect(try await cache.read(CacheKey("large")) != nil)
  }

  @Test func aFloorThatTheDeviceCannotKeepRefusesStoresAndEvictsNothing() async throws {
    let before = cache(floor: .none)
    for number in 0..<5 { try await before.store(bytes(5000), for: CacheKey("\(number)")) }
    let cache = cache(floor: .bytes(.max))
    for number in 1...3 {
      let error = await #expect(throws: CachingError.self) {
        try await cache.store(bytes(100), for: CacheKey("new"))
      }
      #expect(error?.code == "cacheFreeSpaceFloor")
      #expect(try await cache.statistics().belowFreeSpaceFloor == number)
    }
    let pending = try cache.handOver(bytes(100), for: CacheKey("new"))
    await #expect(throws: CachingError.self) { try await pending.written() }
    #expect(try await cache.statistics().count == 5)
    #expect(try await cache.read(CacheKey("0"))?.data == bytes(5000))
    #expect(try await cache.remove(CacheKey("0")))
    #expect(disk.folder.walk().count == 4)
  }

  @Test func severalCachesOfOneFolderKeepTheFloorTogether() async throws {
    let lowest = Lock(Int.max)
    let (folder, others) = (disk.folder, others)
    disk.files.intercept { operation, _ throws(FileSystemError) in
      guard [.append, .rename, .remove].contains(operation) else { return }
      let walked = folder.walk()
      let free = Self.total - others.withLock { $0 } - walked.bytes - walked.unfinished
      lowest.withLock { $0 = min($0, free) }
    }
    let caches = (0..<4).map { _ in cache(floor: .bytes(400_000)) }
    try await withThrowingTaskGroup { group in
      for (number, cache) in caches.enumerated() {
        group.addTask {
          for step in 0..<60 {
            try await cache.store(
              bytes(1000 + step * 300, seed: UInt64(step)), for: CacheKey("\(number) \(step)"))
          }
        }
      }
      try await group.waitForAll()
    }
    disk.files.heal()
    #expect(lowest.withLock { $0 } >= 400_000)
    #expect(lowest.withLock { $0 } < 500_000)
    #expect(try await caches[0].statistics().bytes == folder.walk().bytes)
  }

  @Test func theSpaceIsMeasuredSeldomWhileThereIsPlenty() async throws {
    disk.files.reportSpace { (1 << 40, 1 << 39) }
    let cache = cache(floor: .automatic)
    for number in 0..<100 { try await cache.store(bytes(1000), for: CacheKey("\(number)")) }
    #expect(disk.files.calls(.space) == 1)
    time.advance(by: SpaceEstimate.lifetime)
    for number in 0..<100 { try await cache.store(bytes(1000), for: CacheKey("\(number)")) }
    #expect(disk.files.calls(.space) == 2)
  }

  @Test func bytesStoredSinceTheMeasurementCount() async throws {
    let cache = cache(floor: .bytes(100_000))
    for number in 0..<40 as Range<UInt64> {
      try await cache.store(bytes(20_000, seed: number), for: CacheKey("\(number)"))
      #expect(free >= 100_000)
    }
    // There is little: each store measures it.
    #expect(disk.files.calls(.space) >= 40)
  }

  @Test func aFileSystemThatDoesNotTellHasNoFloor() async throws {
    disk.files.reportSpace { nil }
    let cache = cache(floor: .bytes(1 << 40))
    try await cache.store(bytes(1000), for: CacheKey("a"))
    #expect(try await cache.read(CacheKey("a")) != nil)
    #expect(disk.files.calls(.space) == 1)
  }

  @Test func aFileSystemThatFreesLateDoesNotEmptyTheCache() async throws {
    let cache = cache(floor: .bytes(100_000))
    for number in 0..<40 { try await cache.store(bytes(20_000), for: CacheKey("\(number)")) }
    disk.files.reportSpace { (Self.total, 100_000) }
    time.advance(by: .seconds(1))
    await #expect(throws: CachingError.self) { try await cache.store(bytes(20_000), for: CacheKey("new")) }
    let count = try await cache.statistics().count
    #expect(count > 30 && count < 40)
  }

  @Test func aFailedMeasurementFailsTheStore() async throws {
    let cache = cache(floor: .automatic)
    disk.files.fail(.space, with: EIO, times: 1)
    let error = await #expect(throws: CachingError.self) {
      try await cache.store(bytes(10), for: CacheKey("a"))
    }
    guard case .fileSystem(_, _, EIO) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await cache.store(bytes(10), for: CacheKey("a"))
  }

  @Test func theMachineTells() throws {
    let space = try #require(try POSIXFileSystem().space(at: disk.folder.url.path))
    #expect(space.total > 0 && space.available >= 0 && space.available <= space.total)
    #expect(try POSIXFileSystem().space(at: disk.folder.url.path + "/none") == nil)
  }
}
