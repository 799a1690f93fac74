import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Records leave a cache as files of an archive, and come into another one as they were.
@Suite(.timeLimit(.minutes(2))) struct ImportRecordTests {
  private let folder: TemporaryFolder
  private let time = ManualTime()

  init() throws {
    folder = try TemporaryFolder()
  }

  private func cache(
    _ name: String, _ change: (inout DiskCache.Configuration) -> Void = { _ in }
  ) -> DiskCache {
    let time = time
    let url = folder.url.appending(path: name, directoryHint: .isDirectory)
    return DiskCache(
      folder.configuration {
        $0.folder = url
        change(&$0)
      }, now: { time.date })
  }

  /// Everything that leaves a cache.
  private func archived(_ cache: DiskCache) async throws -> [(name: String, bytes: Data, accessed: Date)] {
    var files: [(name: String, bytes: Data, accessed: Date)] = []
    try await cache.archive { record in
      guard case .intact(let record) = record else { return }
      files.append(
        (record.name, try await cache.bytes(of: record, at: 0, count: record.byteCount), record.accessed))
    }
    return files
  }

  private func importing(
    _ files: [(name: String, bytes: Data, accessed: Date)], into cache: DiskCache
  ) async throws -> [DiskCache.ImportOutcome] {
    var outcomes: [DiskCache.ImportOutcome] = []
    for file in files {
      outcomes.append(try await cache.importRecord(file.bytes, named: file.name, accessed: file.accessed))
    }
    return outcomes
  }

  private func metadata(_ number: Int) -> RecordMetadata {
    RecordMetadata(
      contentType: "image/\(number)", expires: time.date.addingTimeInterval(1000 + Double(number)),
      tags: ["tag \(number % 2)", "b"], user: ["name": "value \(number)"])
  }

  @Test func recordsThatShareTheirBytesLeaveWithThem() async throws {
    let (one, two) = (cache("one"), cache("two"))
    let shared = bytes(40_000, seed: 1)
    for number in 0..<3 {
      try await one.store(shared, metadata: metadata(number), for: CacheKey("\(number)"))
    }
    #expect(try await one.statistics().sharedStores == 2)
    let files = try await archived(one)
    #expect(files.count == 3 && files.allSatisfy { $0.bytes.count > 40_000 })
    #expect(try await importing(files, into: two) == [.stored, .stored, .stored])
    for number in 0..<3 {
      let record = try await two.read(CacheKey("\(number)"))
      #expect(record?.data == shared && record?.metadata == metadata(number))
    }
    // In pieces across the end of the header.
    try await one.archive { record in
      guard case .intact(let record) = record else { return }
      var pieces = Data()
      while pieces.count < record.byteCount {
        pieces += try await one.bytes(
          of: record, at: pieces.count, count: min(77, record.byteCount - pieces.count))
      }
      #expect(files.contains { $0.name == record.name && $0.bytes == pieces })
    }
  }

  @Test func nothingIsEvictedForTheFloorOfFreeSpace() async throws {
    let one = cache("one")
    for number in 0..<4 {
      try await one.store(bytes(20_000, seed: UInt64(number)), for: CacheKey("\(number)"))
    }
    let files = try await archived(one)
    let own = cache("two") { $0.freeSpaceFloor = .none }
    try await own.store(bytes(1000), for: CacheKey("own"))
    let full = cache("two") { $0.freeSpaceFloor = .bytes(.max) }
    #expect(try await importing(files, into: full) == [.noRoom, .noRoom, .noRoom, .noRoom])
    #expect(try await full.read(CacheKey("own")) != nil)
  }

  @Test func recordsKeepEverything() async throws {
    let (one, two) = (cache("one"), cache("two"))
    for number in 0..<20 {
      try await one.store(
        bytes(1000 * number, seed: UInt64(number)), metadata: metadata(number),
        for: CacheKey("key \(number)", source: "source \(number % 3)"))
      time.advance(by: .milliseconds(1500))
    }
    let files = try await archived(one)
    #expect(files.count == 20)
    time.advance(by: .seconds(100))
    #expect(try await importing(files, into: two) == Array(repeating: .stored, count: 20))
    let entries = [try await one.entries(), try await two.entries()].map { entries in
      entries.map {
        [$0.key, $0.source, "\($0.metadata)", "\($0.created)", "\($0.accessed)", "\($0.fileLength)"]
      }
    }
    #expect(entries[0] == entries[1])
    #expect(try await two.read(CacheKey("key 7"))?.data == bytes(7000, seed: 7))
    #expect(try await two.verify().damaged.isEmpty)
    // Indexed as stored ones are.
    #expect(try await two.removeAll(.tag("tag 1")) == 10)
    #expect(try await two.removeAll(.source("source 0")) == 4)
    #expect(try await two.statistics().count == 6)
  }

  @Test func theLastStoreStays() async throws {
    let (one, two, key) = (cache("one"), cache("two"), CacheKey("key"))
    try await two.store(bytes(10), for: key)
    time.advance(by: .seconds(1))
    try await one.store(bytes(20), for: key)
    let newer = try await archived(one)
    #expect(try await importing(newer, into: two) == [.stored])
    #expect(try await importing(newer, into: two) == [.superseded])
    time.advance(by: .seconds(1))
    try await two.store(bytes(30), for: key)
    #expect(try await importing(newer, into: two) == [.superseded])
    #expect(try await two.read(key)?.data == bytes(30))
  }

  @Test func limitsHoldAndNothingIsEvicted() async throws {
    let one = cache("one")
    for number in 0..<10 { try await one.store(bytes(1000), for: CacheKey("key \(number)")) }
    let files = try await archived(one)
    let length = files[0].bytes.count
    let few = cache("few") { $0.countLimit = 4 }
    try await few.store(bytes(10), for: CacheKey("own"))
    #expect(try await importing(files, into: few).count { $0 == .stored } == 3)
    let small = cache("small") { $0.byteLimit = 4 * length + 10 }
    #expect(
      try await importing(files, into: small) == Array(repeating: .stored, count: 4)
        + Array(repeating: .noRoom, count: 6))
    let tiny = cache("tiny") { $0.recordByteLimit = length - 1 }
    #expect(try await importing(files, into: tiny) == Array(repeating: .noRoom, count: 10))
    #expect(tiny.importByteLimit == length - 1)
    for cache in [few, small] {
      let statistics = try await cache.statistics()
      #expect(statistics.evictions == 0 && statistics.count == 4)
    }
    #expect(try await few.read(CacheKey("own")) != nil)
  }

  @Test func expiredRecordsStayAway() async throws {
    let one = cache("one")
    try await one.store(
      bytes(10), metadata: .init(expires: time.date.addingTimeInterval(50)), for: CacheKey("a"))
    try await one.store(bytes(10), for: CacheKey("b"))
    let files = try await archived(one)
    time.advance(by: .seconds(100))
    let old = cache("old") { $0.maxAge = .seconds(90) }
    #expect(try await importing(files, into: old) == [.expired, .expired])
    let stored = cache("stored") {
      $0.maxAge = .seconds(90)
      $0.ageOrigin = .lastStore
    }
    let touched = files.map { ($0.name, $0.bytes, time.date) }
    #expect(try await importing(touched, into: stored) == [.expired, .expired])
    #expect(try await importing(files, into: cache("two")).count { $0 == .stored } == 1)
  }

  @Test func timesInTheFutureAreNow() async throws {
    let (one, two) = (cache("one"), cache("two"))
    time.advance(by: .seconds(1_000_000))
    try await one.store(bytes(10), for: CacheKey("a"))
    let files = try await archived(one).map { ($0.name, $0.bytes, Date.distantFuture) }
    time.advance(by: .seconds(-500_000))
    #expect(try await importing(files, into: two) == [.stored])
    let entry = try await two.entries()[0]
    #expect(entry.created == time.date && entry.accessed == time.date)
  }

  @Test func damagedRecordsAreNeitherExportedNorImported() async throws {
    let (one, two) = (cache("one"), cache("two"))
    try await one.store(bytes(1000), for: CacheKey("a"))
    let file = try await archived(one)[0]
    for index in stride(from: 0, to: file.bytes.count, by: 7) {
      var damaged = file.bytes
      damaged[index] ^= 0x10
      guard case .refused = try await two.importRecord(damaged, named: file.name, accessed: file.accessed)
      else {
        Issue.record("byte \(index)")
        continue
      }
    }
    for length in stride(from: 0, to: file.bytes.count, by: 11) {
      let outcome = try await two.importRecord(
        file.bytes.prefix(length), named: file.name, accessed: file.accessed)
      #expect(outcome == .refused(reason: "it is not a record, or its header is damaged"))
    }
    #expect(try await two.statistics().count == 0)
    let path = try await one.entries()[0].path
    var damaged = file.bytes
    damaged[damaged.count - 1] ^= 1
    try damaged.write(to: URL(filePath: path))
    var seen: [String] = []
    try await one.archive { if case .damaged(let path) = $0 { seen.append(path) } }
    #expect(seen == [path])
  }

  @Test func onlyNamesOfRecordsCount() {
    let cache = cache("one")
    let name = "v2/ab/" + String(repeating: "c", count: 62)
    #expect(cache.isRecordName(name) && cache.isRecordName("./" + name))
    for other in [
      "", "/" + name, "../" + name, name + "/", "v1" + name.dropFirst(2), "v2//" + name.dropFirst(3),
      name.uppercased(), String(name.dropLast()), name + "c", "././" + name, "x/" + name,
    ] { #expect(!cache.isRecordName(other), "\(other)") }
  }

  @Test func aFolderIsThatOfACacheOnceItWasUsed() async throws {
    let cache = cache("one")
    #expect(try await !cache.hasFolder())
    try await cache.store(bytes(1), for: CacheKey("a"))
    #expect(try await cache.hasFolder())
  }
}
