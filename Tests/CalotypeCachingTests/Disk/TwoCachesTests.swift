import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Caches of one folder, at the same time and one after the other.
@Suite struct TwoCachesTests {
  private let folder: TemporaryFolder
  private let time = ManualTime()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache {
    let time = time
    return DiskCache(folder.configuration(change), now: { time.date })
  }

  @Test func eachSeesTheOthersStoresAndRemovalsAtOnce() async throws {
    let (left, right) = (cache { $0.journalCount = 5 }, cache { $0.journalCount = 5 })
    for step in 0..<200 {
      let (one, other) = step % 2 == 0 ? (left, right) : (right, left)
      let key = CacheKey("\(step % 7)")
      #expect(try await (one.read(key) == nil) == (other.read(key) == nil))
      try await one.store(bytes(step), for: key)
      #expect(try await other.read(key)?.data == bytes(step))
      if step % 3 == 0 {
        #expect(try await other.remove(key))
        #expect(try await one.read(key) == nil)
        #expect(try await !one.contains(key))
        #expect(try await !one.remove(key))
      }
      if step % 50 == 49 {
        try await one.removeAll()
        #expect(try await other.read(CacheKey("1")) == nil)
        #expect(try await other.statistics().count == 0)
      }
      if step % 10 == 0 {
        #expect(try await left.statistics().bytes == right.statistics().bytes)
        #expect(try await left.statistics().bytes == folder.walk().bytes)
      }
    }
    #expect(try await left.statistics().rebuilds + right.statistics().rebuilds == 1)
  }

  @Test func indicesThatWereWrittenAnewManyTimesKeepEverything() async throws {
    var expected: [Int: Int] = [:]
    for round in 0..<20 {
      let cache = cache { $0.journalCount = 10 }
      for step in 0..<60 {
        let index = (round * 31 + step * 7) % 100
        let size = (round * 13 + step) % 900
        try await cache.store(bytes(size, seed: UInt64(index)), for: CacheKey("\(index)"))
        expected[index] = size
        if step % 11 == 0 {
          try await cache.remove(CacheKey("\(step)"))
          expected[step] = nil
        }
      }
      let (statistics, walked) = (try await cache.statistics(), folder.walk())
      #expect(statistics.count == expected.count && statistics.count == walked.count)
      #expect(statistics.bytes == walked.bytes)
      #expect(statistics.rebuilds == (round == 0 ? 1 : 0))
    }
    let last = cache()
    for index in 0..<100 {
      let data = expected[index].map { bytes($0, seed: UInt64(index)) }
      #expect(try await last.read(CacheKey("\(index)"))?.data == data)
    }
  }

  @Test func recencyOutlivesTheProcessAndIsSharedWithOthers() async throws {
    let first = cache()
    for number in 0..<10 {
      try await first.store(bytes(1000), for: CacheKey("\(number)"))
      time.advance(by: .seconds(100))
    }
    // Reads by others, which the index of the first knows nothing of.
    let reader = cache()
    for number in 0..<3 { #expect(try await reader.read(CacheKey("\(number)")) != nil) }
    let small = cache {
      $0.countLimit = 6
      $0.lowWatermark = 1
    }
    #expect(try await small.statistics().count == 6)
    #expect(try await first.entries().map(\.key).sorted() == ["0", "1", "2", "7", "8", "9"])
    // The first learned of the evictions.
    #expect(try await first.statistics().count == 6)
    #expect(try await first.read(CacheKey("4")) == nil)
  }

  @Test func limitsThatWereLoweredHoldFromTheNextCallOn() async throws {
    let first = cache()
    for number in 0..<50 { try await first.store(bytes(1000), for: CacheKey("\(number)")) }
    let second = cache {
      $0.byteLimit = 20_000
      $0.recordByteLimit = 5000
    }
    try await second.store(bytes(10), for: CacheKey("one more"))
    #expect(folder.walk().bytes <= 20_000)
    #expect(try await second.statistics().bytes == folder.walk().bytes)
    #expect(try await first.statistics().count == folder.walk().count)
  }

  @Test func entriesThatExpireLeaveWithoutBeingRead() async throws {
    let cache = cache()
    for number in 0..<20 {
      let expires = time.date.addingTimeInterval(number % 2 == 0 ? 30 : 3600)
      try await cache.store(bytes(1000), metadata: .init(expires: expires), for: CacheKey("\(number)"))
    }
    time.advance(by: .seconds(90))
    // Another process, which reads its knowledge from the index.
    let other = self.cache()
    try await other.store(bytes(10), for: CacheKey("late"))
    await other.finishUpkeep()
    #expect(folder.walk().count == 11)
    #expect(try await other.statistics().expired == 10)
    #expect(try await cache.statistics().count == 11)
  }

  @Test func whatIsTooOldLeavesWithoutBeingRead() async throws {
    let cache = cache { $0.maxAge = .seconds(100) }
    for number in 0..<5 { try await cache.store(bytes(100), for: CacheKey("\(number)")) }
    time.advance(by: .seconds(90))
    #expect(try await cache.read(CacheKey("3")) != nil)
    time.advance(by: .seconds(61))
    try await cache.store(bytes(100), for: CacheKey("late"))
    await cache.finishUpkeep()
    #expect(try await cache.entries().map(\.key) == ["3", "late"])
    #expect(folder.walk().count == 2)
  }

  @Test func foldersTemporariesOrListsMayBeDeletedWhileInUse() async throws {
    let (left, right) = (cache(), cache())
    let keys = (0..<5).map { CacheKey("\($0)") }
    let before = folder.openDescriptors
    for name in ["v2", "v2/tmp", "v2/index", "v2/journal", "v2/lock", ""] {
      for key in keys { try await left.store(bytes(100), for: key) }
      #expect(try await right.read(keys[0]) != nil)
      #expect(try await right.statistics().count == 5)
      try FileManager.default.removeItem(at: name.isEmpty ? folder.cache : folder.cache.appending(path: name))
      for (number, cache) in [left, right].enumerated() {
        try await cache.store(bytes(200), for: keys[number])
        #expect(try await cache.read(keys[number])?.data == bytes(200), "\(name)")
      }
      #expect(try await left.trim().bytes == folder.walk().bytes, "\(name)")
      #expect(try await right.statistics().bytes == folder.walk().bytes, "\(name)")
      #expect(try await right.statistics().failures == 0, "\(name)")
    }
    #expect(folder.openDescriptors <= before + 8)
  }
}
