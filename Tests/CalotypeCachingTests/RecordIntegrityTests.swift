import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// Whatever happens to the bytes of a record, it reads as what was stored or as `nil`.
@Suite struct RecordIntegrityTests {
  private let key = CacheKey("k")
  private let metadata = RecordMetadata(contentType: "image/gif", user: ["n": "v"])

  /// Writes `change` of a good record in its place and reads it, as a process does that starts then.
  private func read(
    after changes: [(Data) -> Data]
  ) async throws -> (records: [CacheRecord?], damaged: Int) {
    let folder = try TemporaryFolder()
    try await DiskCache(folder.configuration()).store(bytes(40), metadata: metadata, for: key)
    let url = folder.record(key)
    let good = try Data(contentsOf: url)
    var records: [CacheRecord?] = []
    var damaged = 0
    for change in changes {
      let cache = DiskCache(folder.configuration { $0.threads = 1 })
      try change(good).write(to: url)
      records.append(try await cache.read(key))
      // Removed by the thread that writes.
      try await cache.flush()
      if records.last == .some(nil) { #expect(!FileManager.default.fileExists(atPath: url.path)) }
      damaged += cache.counters.withLock { $0.damaged }
    }
    return (records, damaged)
  }

  @Test func everyFlippedBitIsFound() async throws {
    let length = 64 + 1 + (6 + 9) + (6 + 4 + 2) + 40
    let changes = (0..<length * 8).map { bit in
      { (data: Data) -> Data in
        #expect(data.count == length)
        var data = data
        data[bit / 8] ^= 1 << (bit % 8)
        return data
      }
    }
    let (records, damaged) = try await read(after: changes)
    #expect(records.allSatisfy { $0 == nil })
    #expect(damaged == changes.count)
  }

  /// The checksum that a caller has computed is not computed again: a wrong one shows.
  @Test func aGivenChecksumIsWritten() async throws {
    let folder = try TemporaryFolder()
    let data = bytes(40)
    for (checksum, isFound) in [(Checksum(of: data), true), (Checksum(seed: 1), false)] {
      try await DiskCache(folder.configuration()).store(
        data, checksum: checksum, metadata: metadata, for: key)
      #expect(try await DiskCache(folder.configuration()).read(key)?.data == (isFound ? data : nil))
    }
  }

  @Test func everyTruncationIsFound() async throws {
    let (records, _) = try await read(after: (0..<132).map { count in { $0.prefix(count) } })
    #expect(records.count == 132)
    #expect(records.allSatisfy { $0 == nil })
  }

  @Test func bytesAtTheEndHolesAndGarbageAreFound() async throws {
    let (records, _) = try await read(after: [
      { $0 + [0] }, { $0 + $0 }, { Data(count: $0.count) }, { $0.prefix(64) + Data(count: $0.count - 64) },
      { _ in bytes(100_000) }, { _ in Data() }, { $0 },
    ])
    #expect(records.dropLast().allSatisfy { $0 == nil })
    #expect(records.last??.data == bytes(40))
    #expect(records.last??.metadata == metadata)
  }

  @Test func lengthsThatLieAreNotBelieved() async throws {
    func overwriting(_ offset: Int, with value: [UInt8]) -> (Data) -> Data {
      { data in
        var data = data
        data.replaceSubrange(offset..<offset + value.count, with: value)
        return data
      }
    }
    let huge = [UInt8](repeating: 0xFF, count: 8)
    let (records, _) = try await read(after: [
      overwriting(12, with: Array(huge[..<4])), overwriting(16, with: huge),
      overwriting(16, with: Array(huge[..<7]) + [0x7F]), overwriting(40, with: huge),
      overwriting(8, with: [3, 0, 0, 0]),
    ])
    #expect(records.allSatisfy { $0 == nil })
  }

  @Test func aRecordOfAnotherKeyIsNotTakenForThisOne() async throws {
    let folder = try TemporaryFolder()
    let cache = DiskCache(folder.configuration())
    let other = CacheKey("other")
    try await cache.store(bytes(40), for: key)
    try await cache.store(bytes(50), for: other)
    try Data(contentsOf: folder.record(other)).write(to: folder.record(key))
    #expect(try await !cache.contains(key))
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.read(other)?.data == bytes(50))
    #expect(try await cache.statistics().damaged == 1)
  }

  @Test func aFileThatShrinksWhileItIsReadIsFound() async throws {
    let folder = try TemporaryFolder()
    let files = FaultyFileSystem()
    let cache = DiskCache(folder.configuration(), fileSystem: files)
    try await cache.store(bytes(10_000), for: key)
    let path = folder.record(key).path
    files.intercept { operation, name throws(FileSystemError) in
      if operation == .read, name == path { truncateFile(path, to: 5000) }
    }
    #expect(try await cache.read(key) == nil)
    #expect(try await cache.statistics().damaged == 1)
  }

  @Test func unknownMetadataFieldsAreSkippedAndBadOnesRefused() throws {
    let known = MetadataCoding.encode(metadata, source: nil)
    let unknown: [UInt8] = [0x99, 0x99, 2, 0, 0, 0, 1, 2]
    func decode(_ bytes: [UInt8]) -> RecordMetadata? {
      bytes.withUnsafeBytes { MetadataCoding.decode($0)?.metadata }
    }
    #expect(decode(known + unknown) == metadata)
    #expect(decode(unknown + known) == metadata)
    #expect(decode([]) == RecordMetadata())
    #expect(decode(known + [1]) == nil)
    #expect(decode([1, 0, 1, 0, 0, 0, 0xFF]) == nil)
    #expect(decode([1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0]) == nil)
    #expect(decode([4, 0, 4, 0, 0, 0, 1, 0, 0, 0]) == nil)
    #expect(decode([4, 0, 2, 0, 0, 0, 0, 0]) == nil)
  }
}
