import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite struct DiskListingTests {
  @Test func entriesComeInTheOrderOfTheirAccess() async throws {
    let folder = try TemporaryFolder()
    let time = ManualTime()
    let cache = DiskCache(folder.configuration(), now: { time.date })
    let keys = (0..<100).map { CacheKey("key \($0)") }
    for (index, key) in keys.enumerated() {
      try await cache.store(bytes(index), metadata: RecordMetadata(tags: ["\(index)"]), for: key)
      time.advance(by: .seconds(1))
    }
    time.advance(by: .seconds(100))
    _ = try await cache.read(keys[0])
    let entries = try await cache.entries()
    #expect(entries.map(\.key) == (keys[1...] + keys[..<1]).map(\.text))
    #expect(entries[4].dataLength == 5)
    #expect(entries[4].fileLength > 5 + keys[5].text.count)
    #expect(entries[4].metadata.tags == ["5"])
    #expect(entries[4].path == folder.record(keys[5]).path)
    #expect(entries.last?.created == entries[0].created.addingTimeInterval(-1))
    #expect(entries.last?.accessed == time.date)
  }

  @Test func verifyFindsAndRemovesDamage() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    let keys = (0..<6).map { CacheKey("key \($0)") }
    for (index, key) in keys.enumerated() {
      try await cache.store(bytes(2_500_000, seed: UInt64(index)), for: key)
    }
    func damage(_ key: CacheKey, at offset: Int) throws {
      var data = try Data(contentsOf: folder.record(key))
      data[offset] ^= 1
      try data.write(to: folder.record(key))
    }
    try damage(keys[1], at: 2_000_000)
    try damage(keys[2], at: 100)
    try Data(contentsOf: folder.record(keys[0])).write(to: folder.record(keys[3]))
    let report = try await cache.verify()
    #expect(report.intact == 3)
    #expect(Set(report.damaged) == Set(keys[1...3].map { folder.record($0).path }))
    #expect(try await cache.entries().map(\.key).sorted() == [keys[0], keys[4], keys[5]].map(\.text))
    #expect(try await cache.verify().damaged.isEmpty)
    #expect(try await cache.statistics().damaged == 3)
  }
}
