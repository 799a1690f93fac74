import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// The position of the log of purges, in the metadata of records.
@Suite struct RecordPositionTests {
  private func decode(_ bytes: [UInt8]) -> RecordMetadata? {
    bytes.withUnsafeBytes { MetadataCoding.decode($0)?.metadata }
  }

  @Test(arguments: [nil, 0, 1, 4_711, Int.max, -1, Int.min]) func isKept(_ position: Int?) async throws {
    let folder = try TemporaryFolder()
    let metadata = RecordMetadata(contentType: "image/gif", tags: ["t"], position: position)
    try await DiskCache(folder.configuration()).store(bytes(40), metadata: metadata, for: CacheKey("k"))
    let record = try await DiskCache(folder.configuration()).read(CacheKey("k"))
    #expect(record?.metadata == metadata)
    #expect(record?.metadata.position == position)
  }

  /// Records of earlier versions have no such field; earlier versions skip it.
  @Test func isMissingInOldRecords() throws {
    let old: [UInt8] = [1, 0, 1, 0, 0, 0, UInt8(ascii: "x")]
    let metadata = try #require(decode(old))
    #expect(metadata.contentType == "x")
    #expect(metadata.position == nil)
    let without = MetadataCoding.encode(metadata, source: nil)
    #expect(without == old)
    var with = metadata
    with.position = 258
    #expect(
      MetadataCoding.encode(with, source: nil) == old + [6, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0])
  }

  @Test func mustFit() {
    #expect(decode([6, 0, 8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255])?.position == -1)
    #expect(decode([6, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(decode([6, 0, 0, 0, 0, 0]) == nil)
  }

  @Test(
    arguments: [
      (nil, nil), (.zero, .zero), (.nanoseconds(1_999), .microseconds(1)), (.seconds(3_600), .seconds(3_600)),
      (.seconds(-1), .zero),
    ] as [(Duration?, Duration?)])
  func costs(_ cost: Duration?, _ kept: Duration?) {
    #expect(decode(MetadataCoding.encode(RecordMetadata(cost: cost), source: nil))?.cost == kept)
  }

  @Test func costsMustFit() {
    #expect(decode([7, 0, 8, 0, 0, 0, 232, 3, 0, 0, 0, 0, 0, 0])?.cost == .milliseconds(1))
    #expect(decode([7, 0, 8, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]) == nil)
    #expect(decode([7, 0, 4, 0, 0, 0, 1, 0, 0, 0]) == nil)
  }

  @Test func isOptionalWhenDecoded() throws {
    let old = Data(#"{"tags": ["t"], "user": {}}"#.utf8)
    #expect(try JSONDecoder().decode(RecordMetadata.self, from: old) == RecordMetadata(tags: ["t"]))
  }
}

/// Records as one piece of bytes.
@Suite struct EncodedRecordTests {
  private let key = CacheKey("k", source: "https://example.org/a.png")

  private func record(_ count: Int, _ metadata: RecordMetadata = .init()) -> CacheRecord {
    let created = Date(timeIntervalSince1970: 1_700_000_000)
    return CacheRecord(data: bytes(count), metadata: metadata, created: created, accessed: created)
  }

  @Test func readsBack() throws {
    let record = record(100, RecordMetadata(contentType: "image/png", tags: ["t"], position: 3))
    let packed = try record.encoded(for: key)
    #expect(CacheRecord(encoded: packed, for: key) == record)
    #expect(CacheRecord(encoded: Data([0]) + packed, for: key) == nil)
    #expect(CacheRecord(encoded: (Data([0]) + packed).dropFirst(), for: key) == record)
    #expect(CacheRecord(encoded: packed, for: CacheKey("l")) == nil)
  }

  @Test func damageReadsAsNothing() throws {
    let packed = try record(40).encoded(for: key)
    for bit in 0..<packed.count * 8 {
      var damaged = packed
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(CacheRecord(encoded: damaged, for: key) == nil, "bit \(bit)")
    }
    for length in 0..<packed.count { #expect(CacheRecord(encoded: packed.prefix(length), for: key) == nil) }
    #expect(CacheRecord(encoded: packed + [0], for: key) == nil)
  }

  @Test(arguments: [0, 64 << 10, (64 << 10) + 1], [true, false])
  func smallRecordsEndALeaseWithTheirBytes(count: Int, isShared: Bool) async throws {
    let lease = KnownLease()
    await lease.end(with: record(count), for: key, isShared: isShared)
    let expected =
      count <= 64 << 10
      ? FlightOutcome.value(try record(count).encoded(for: key)) : isShared ? .stored : .isPrivate
    #expect(lease.outcome.withLock { $0 } == expected)
  }

  private final class KnownLease: FlightLease {
    let outcome = Lock<FlightOutcome?>(nil)
    func end(_ outcome: FlightOutcome) async { self.outcome.withLock { $0 = outcome } }
  }
}
