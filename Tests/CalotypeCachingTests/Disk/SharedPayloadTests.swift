import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeCaching

/// Records with equal payloads share them on disk, and each lives as if it had its own.
@Suite(.timeLimit(.minutes(2))) struct SharedPayloadTests {
  private let disk: FaultyDisk
  private let time = ManualTime()
  private let payload = bytes(40_000)

  init() throws {
    disk = try FaultyDisk()
  }

  private func cache(_ change: (inout DiskCache.Configuration) -> Void = { _ in }) -> DiskCache {
    let time = time
    return disk.cache(change, now: { time.date })
  }

  private let keys = (0..<4).map { CacheKey("key \($0)", source: "source \($0)") }

  private func metadata(_ index: Int) -> RecordMetadata {
    RecordMetadata(contentType: "image/\(index)", tags: ["tag \(index)"], user: ["index": "\(index)"])
  }

  private func store(_ cache: DiskCache, _ index: Int, _ data: Data? = nil) async throws {
    try await cache.store(data ?? payload, metadata: metadata(index), for: keys[index])
  }

  private func check(_ cache: DiskCache, _ index: Int, _ data: Data? = nil) async throws {
    let record = try await cache.read(keys[index])
    #expect(record?.data == data ?? payload)
    #expect(record?.metadata == metadata(index))
    #expect(try await cache.contains(keys[index]))
  }

  /// The names and lengths of all files of records, and how many different files they are.
  private func files(in folder: URL? = nil) throws -> (names: Int, files: Int, bytes: Int) {
    let layout = CacheLayout(folder: (folder ?? disk.folder.cache).path)
    var found: [UInt64: Int] = [:]
    var names = 0
    for fanOut in CacheLayout.fanOut {
      try POSIXFileSystem().list(layout.fanOutFolder(fanOut)) { _, status in
        names += 1
        found[status.identity] = status.size
      }
    }
    return (names, found.count, found.values.reduce(0, +))
  }

  private func expectCounts(_ cache: DiskCache, _ count: Int) async throws {
    let (statistics, walked) = (try await cache.statistics(), disk.folder.walk())
    #expect(statistics.count == count && walked.count == count)
    #expect(statistics.bytes == walked.bytes)
    #expect(statistics.damaged == 0 && statistics.failures == 0)
  }

  @Test func equalPayloadsAreStoredOnce() async throws {
    let cache = cache()
    for index in 0..<3 { try await store(cache, index) }
    let first = try await cache.statistics()
    #expect(first.sharedStores == 2 && first.stores == 3)
    for index in 0..<3 { try await check(cache, index) }
    // Three records and two second names of the first.
    let found = try files()
    #expect(found.names == 5 && found.files == 3 && found.bytes < payload.count + 1000)
    try await expectCounts(cache, 3)
    // So does a process see them that starts now, with the index and without.
    let next = self.cache()
    for index in 0..<3 { try await check(next, index) }
    try await expectCounts(next, 3)
    unlink(disk.folder.cache.appending(path: "v2/index").path)
    let third = self.cache()
    try await expectCounts(third, 3)
    for index in 0..<3 { try await check(third, index) }
    #expect(try await third.removeAll(.source("source 1")) == 1)
    #expect(try await third.removeAll(.tag("tag 0")) == 1)
    try await check(third, 2)
    try await expectCounts(third, 1)
  }

  @Test func listingsAndReportsTakeThemForRecords() async throws {
    let cache = cache()
    for index in 0..<3 { try await store(cache, index) }
    let entries = try await cache.entries()
    #expect(Set(entries.map(\.key)) == Set(keys[..<3].map(\.text)))
    #expect(entries.allSatisfy { $0.dataLength == payload.count && $0.fileLength > payload.count })
    #expect(entries.reduce(0) { $0 + $1.fileLength } == disk.folder.walk().bytes)
    let report = try await cache.verify()
    #expect(report.intact == 3 && report.damaged.isEmpty && report.bytes == disk.folder.walk().bytes)
    let trimmed = try await cache.trim()
    #expect(trimmed.count == 3 && trimmed.bytes == disk.folder.walk().bytes && trimmed.freedBytes == 0)
    #expect(try await cache.removeAll() == 3)
    #expect(try files().names == 0)
    try await expectCounts(cache, 0)
  }

  enum End: CaseIterable {
    case removed, replaced, replacedByAnotherShared, replacedByTheSame, expired, evicted, cleared
  }

  private static func limited(_ configuration: inout DiskCache.Configuration) {
    configuration.countLimit = 4
    configuration.lowWatermark = 1
  }

  @Test(arguments: End.allCases, [0, 1, 2]) func eachEndsAlone(end: End, index: Int) async throws {
    let (cache, other) = (cache(Self.limited), bytes(50_000, seed: 9))
    for index in 0..<3 {
      time.advance(by: .seconds(1))
      var metadata = metadata(index)
      if end == .expired { metadata.expires = time.date.addingTimeInterval(TimeInterval(100 + index)) }
      try await cache.store(payload, metadata: metadata, for: keys[index])
    }
    switch end {
    case .removed: #expect(try await cache.remove(keys[index]))
    case .replaced: try await store(cache, index, bytes(100))
    case .replacedByAnotherShared:
      try await store(cache, 3, other)
      try await store(cache, index, other)
      try await check(cache, 3, other)
      #expect(try await cache.remove(keys[3]))
    case .replacedByTheSame: try await store(cache, index)
    case .expired:
      time.advance(by: .seconds(98 + 2 * index))
      #expect(try await cache.read(keys[index]) == nil)
      for earlier in 0..<index { #expect(try await cache.read(keys[earlier]) == nil) }
      try await cache.trim()
    case .evicted:
      // The first is the least recently used.
      time.advance(by: .seconds(100))
      for kept in 0..<3 where kept != index { #expect(try await cache.read(keys[kept]) != nil) }
      try await cache.store(bytes(10), for: CacheKey("a"))
      try await cache.store(bytes(10), for: CacheKey("b"))
      #expect(try await cache.statistics().evictions >= 1)
      for name in ["a", "b"] { try await cache.remove(CacheKey(name)) }
    case .cleared: #expect(try await cache.removeAll(.source("source \(index)")) == 1)
    }
    let first = end == .expired ? index : 0
    for kept in first..<3 where kept != index {
      #expect(try await cache.read(keys[kept])?.data == payload)
    }
    switch end {
    case .replaced: #expect(try await cache.read(keys[index])?.data == bytes(100))
    case .replacedByAnotherShared: try await check(cache, index, other)
    case .replacedByTheSame: try await check(cache, index)
    default: #expect(try await cache.read(keys[index]) == nil)
    }
    let statistics = try await cache.statistics()
    #expect(statistics.bytes == disk.folder.walk().bytes && statistics.count == disk.folder.walk().count)
    #expect(statistics.damaged == 0 && statistics.failures == 0)
    #expect(try await self.cache().verify().damaged.isEmpty)
    // Nothing is left of them in the end.
    try await cache.removeAll()
    #expect(try files().names == 0)
  }

  @Test func onlyEqualLongPayloadsAreShared() async throws {
    let cache = cache()
    try await store(cache, 0, bytes(16 << 10 - 1))
    try await store(cache, 1, bytes(16 << 10 - 1))
    try await store(cache, 2, bytes(40_000, seed: 2))
    try await store(cache, 3, bytes(40_000, seed: 3))
    #expect(try await cache.statistics().sharedStores == 0)
    #expect(disk.files.calls(.link) == 0)
    let off = self.cache { $0.sharesPayloads = false }
    try await store(off, 0)
    try await store(off, 1)
    #expect(try await off.statistics().sharedStores == 0)
    #expect(try files().names == 4)
  }

  /// Checksums are not proof: these are equal, as a caller gives them, and the bytes are not.
  @Test func equalChecksumsAreNotEnough() async throws {
    let cache = cache()
    let checksum = Checksum(of: payload)
    var other = payload
    other[39_999] ^= 1
    try await cache.store(payload, checksum: checksum, metadata: metadata(0), for: keys[0])
    try await cache.store(other, checksum: checksum, metadata: metadata(1), for: keys[1])
    #expect(try await cache.statistics().sharedStores == 0)
    try await check(cache, 0)
    #expect(try await cache.read(keys[1]) == nil)
  }

  @Test(arguments: [EPERM, ENOTSUP, EMLINK, EIO, EXDEV])
  func withoutSecondNamesEachHasItsOwn(code: Int32) async throws {
    let cache = cache()
    disk.files.fail(.link, with: code)
    for index in 0..<3 { try await store(cache, index) }
    for index in 0..<3 { try await check(cache, index) }
    #expect(disk.files.calls(.link) == (code == EPERM || code == ENOTSUP ? 1 : 2))
    #expect(try files().names == 3 && files().files == 3)
    try await expectCounts(cache, 3)
    #expect(try await cache.statistics().sharedStores == 0)
    #expect(disk.folder.temporaries.isEmpty)
    disk.files.heal()
    try await store(cache, 3)
    #expect(try await cache.statistics().sharedStores == (code == EPERM || code == ENOTSUP ? 0 : 1))
    try await check(cache, 3)
  }

  @Test func aTwinThatIsEvictedForItIsNoTwin() async throws {
    let cache = cache {
      $0.byteLimit = 100_000
      $0.lowWatermark = 1
    }
    try await store(cache, 0)
    time.advance(by: .seconds(1))
    try await store(cache, 1, bytes(45_000, seed: 2))
    time.advance(by: .seconds(1))
    // The first goes to make room, and was to be the twin.
    try await store(cache, 2)
    try await check(cache, 2)
    #expect(try await cache.read(keys[0]) == nil)
    try await expectCounts(cache, 2)
    #expect(try await cache.statistics().sharedStores == 0)
  }

  @Test func theLimitCountsEachInFull() async throws {
    let cache = cache { $0.byteLimit = 200_000 }
    for number in 0..<50 {
      time.advance(by: .seconds(1))
      try await cache.store(payload, for: CacheKey("\(number)"))
      #expect(disk.folder.walk().bytes <= 200_000)
    }
    #expect(try await cache.statistics().sharedStores > 30)
    #expect(try await cache.read(CacheKey("49"))?.data == payload)
    #expect(try await cache.statistics().bytes == disk.folder.walk().bytes)
    #expect(try files().bytes < 2 * payload.count)
  }

  @Test func aRecordIsLimitedWithTheOtherHeader() async throws {
    let cache = cache { $0.recordByteLimit = 41_000 }
    // With the header of the other one, it would be too long.
    try await cache.store(
      payload, metadata: .init(user: ["a": String(repeating: "a", count: 800)]), for: keys[0])
    try await store(cache, 1)
    #expect(try await cache.statistics().sharedStores == 0)
    try await check(cache, 1)
  }

  @Test func damageOfTheSharedFileIsFoundInEach() async throws {
    try await store(cache(), 0)
    let cache = cache()
    try await store(cache, 0)
    try await store(cache, 1)
    #expect(try await cache.statistics().sharedStores == 1)
    let descriptor = open(disk.folder.record(keys[0]).path, O_WRONLY)
    var byte: UInt8 = ~payload[20_000]
    let header = try #require(try await cache.entries().first { $0.key == keys[0].text })
    #expect(pwrite(descriptor, &byte, 1, off_t(header.fileLength - payload.count + 20_000)) == 1)
    close(descriptor)
    let report = try await self.cache().verify()
    #expect(report.intact == 0 && report.damaged.count == 2)
    #expect(try await cache.read(keys[0]) == nil)
    #expect(try await cache.read(keys[1]) == nil)
    try await cache.flush()
    #expect(try files().names == 0)
  }

  @Test func aRecordWhosePayloadIsGoneIsAMiss() async throws {
    let cache = cache()
    try await store(cache, 0)
    try await store(cache, 1)
    let path = CacheLayout(folder: disk.folder.cache.path).payload(keys[1].digest, Checksum(of: payload))
    #expect(unlink(path) == 0)
    #expect(try await !cache.contains(keys[1]))
    #expect(try await cache.entries().count == 1)
    #expect(try await cache.read(keys[1]) == nil)
    try await cache.flush()
    try await check(cache, 0)
    try await expectCounts(cache, 1)
    // Another record can share it again.
    try await store(cache, 1)
    try await check(cache, 1)
    try await expectCounts(cache, 2)
  }

  @Test func namesThatNoRecordUsesAreSwept() async throws {
    let cache = cache()
    try await store(cache, 0)
    try await store(cache, 1)
    let layout = CacheLayout(folder: disk.folder.cache.path)
    // Of a record that is gone, of one that shares another payload, and of one that shares none.
    let orphans = [
      layout.payload(CacheKey("gone").digest, Checksum(seed: 1)),
      layout.payload(keys[1].digest, Checksum(seed: 2)), layout.payload(keys[0].digest, Checksum(seed: 3)),
    ]
    let others = [layout.record(keys[0].digest) + ".txt", layout.payload(keys[0].digest, Checksum()) + "0"]
    mkdir(layout.fanOutFolder(of: CacheKey("gone").digest), 0o700)
    for path in orphans + others { #expect(link(layout.record(keys[0].digest), path) == 0) }
    #expect(try await cache.trim().count == 2)
    for path in orphans { #expect(access(path, F_OK) != 0) }
    for path in others { #expect(access(path, F_OK) == 0) }
    for index in 0..<2 { try await check(cache, index) }
  }

  @Test(arguments: [false, true]) func recordsMoveWithWhatTheyShare(elsewhere: Bool) async throws {
    let old = disk.folder.url.appending(path: "old", directoryHint: .isDirectory)
    let source = cache { $0.folder = old }
    for index in 0..<3 { try await store(source, index) }
    #expect(try await source.statistics().sharedStores == 2)
    time.advance(by: .seconds(10))
    let cache = cache()
    // A record that is replaced shares something, too.
    for index in [3, 2] {
      try await cache.store(bytes(30_000, seed: 5), for: keys[index])
    }
    time.advance(by: .seconds(10))
    try await store(source, 2)
    if elsewhere { disk.files.fail(.link, with: EXDEV) }
    #expect(try await cache.moveRecords(from: old) == .init(moved: 3))
    disk.files.heal()
    for index in 0..<3 { try await check(cache, index) }
    #expect(try await cache.read(keys[3])?.data == bytes(30_000, seed: 5))
    try await expectCounts(cache, 4)
    try await expectCounts(self.cache(), 4)
    #expect(try await self.cache().verify().damaged.isEmpty)
    #expect(try files(in: old).names == 0)
    #expect(try await source.statistics().count == 0)
    #expect(try files().files == 4 && files().names == (elsewhere ? 4 : 6))
    // Each still ends alone.
    for index in 0..<3 {
      try await cache.remove(keys[index])
      for kept in index + 1..<3 { try await check(cache, kept) }
    }
  }

  @Test func readersNeverMissARecordThatIsReplaced() async throws {
    let cache = cache()
    let (one, two) = (bytes(20_000, seed: 1), bytes(20_000, seed: 2))
    try await store(cache, 1, one)
    try await store(cache, 2, two)
    try await store(cache, 0, one)
    let reader = self.cache()
    try await withThrowingTaskGroup { group in
      group.addTask { for step in 0..<400 { try await store(cache, 0, step % 2 == 0 ? two : one) } }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<600 {
            let data = try await reader.read(keys[0])?.data
            #expect(data == one || data == two)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await cache.statistics().sharedStores > 300)
    #expect(try await reader.statistics().damaged == 0)
    try await expectCounts(cache, 3)
  }

  @Test func agesCountFromTheFirstStore() async throws {
    let cache = cache {
      $0.ageOrigin = .firstStore
      $0.maxAge = .seconds(100)
    }
    try await store(cache, 0)
    time.advance(by: .seconds(60))
    try await store(cache, 1)
    try await store(cache, 0)
    try await check(cache, 0)
    time.advance(by: .seconds(50))
    #expect(try await cache.read(keys[0]) == nil)
    try await check(cache, 1)
    time.advance(by: .seconds(51))
    #expect(try await cache.read(keys[1]) == nil)
  }

  @Test func ordinaryRecordsCostNothingMore() async throws {
    let cache = cache()
    try await cache.store(bytes(10), for: CacheKey("first"))
    let counted: [FaultyFileSystem.Operation] = [
      .create, .append, .rename, .link, .remove, .open, .read, .list, .synchronize,
    ]
    let before = counted.map { disk.files.calls($0) }
    for index in 0..<4 { try await store(cache, index, bytes(20_000, seed: UInt64(index))) }
    // Some of the folders are new.
    let stored = zip(counted, before).map { disk.files.calls($0) - $1 }
    #expect(stored[0] == 4 && stored[1] == 4 && stored[2] >= 4 && stored[2] <= 8)
    #expect(stored[3...].allSatisfy { $0 == 0 })
    for index in 0..<4 { #expect(try await cache.read(keys[index]) != nil) }
    let read = zip(counted, before).map { disk.files.calls($0) - $1 }
    #expect(read[5] == 4 && read[6] == 4)
    for index in 0..<4 { try await cache.remove(keys[index]) }
    #expect(disk.files.calls(.remove) - before[4] == 4 && disk.files.calls(.open) - before[5] == 4)
  }

  @Test func theTableForgetsTheOldest() {
    var table = PayloadTable()
    let digests = (0...PayloadTable.capacity).map {
      Digest256(word0: UInt64($0), word1: 0, word2: 0, word3: 0)
    }
    func key(_ number: Int) -> PayloadTable.Key { .init(checksum: UInt64(number), length: 1) }
    for number in 0..<PayloadTable.capacity { table.note(key(number), of: digests[number], sharedWith: nil) }
    table.note(key(1), of: digests[0], sharedWith: digests[1])
    #expect(table.count == PayloadTable.capacity)
    #expect(table[key(0)] == .init(first: digests[0], latest: digests[0]))
    #expect(table[key(1)] == .init(first: digests[1], latest: digests[0]))
    let last = PayloadTable.capacity
    table.note(key(last), of: digests[last], sharedWith: nil)
    #expect(table.count == PayloadTable.capacity && table[key(0)] == nil)
    #expect(table[key(last)]?.first == digests[last] && table[key(2)]?.first == digests[2])
    #expect(table[.init(checksum: 2, length: 2)] == nil)
  }
}
