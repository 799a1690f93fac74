import CalotypeSupport
import CalotypeCaching
import CalotypeTestKit
import FoundationEssentials
import Glibc
import HelperPrograms
import Testing

/// A process that is killed at any moment leaves only whole records, and those it was told were stored.
@Suite struct CrashTests {
  @Test(.timeLimit(.minutes(2)), arguments: [false, true])
  func twoHundredKilledWritersLeaveNoWrongBytes(isShared: Bool) async throws {
    let program = try #require(helperProgram("CacheWriter"))
    let folder = try TemporaryFolder()
    var stored: [UInt64: UInt64] = [:]
    var found = 0
    for round in 0..<200 as Range<UInt64> {
      let child = try Child(
        program, [folder.cache.path, String(round * 1_000_000 + 1)] + (isShared ? ["shared"] : []))
      var output: [UInt8] = []
      // At least one record, then a random while into whatever it does.
      while output.count < Int.random(in: 16...2000) {
        let bytes = child.read(upTo: 16384)
        if bytes.isEmpty { break }
        output += bytes
      }
      spin(microseconds: Int.random(in: 0...1000))
      child.kill()
      #expect(child.wait() == SIGKILL)
      while case let bytes = child.read(upTo: 16384), !bytes.isEmpty { output += bytes }
      for (index, number) in Self.reports(output) {
        stored[index] = max(stored[index] ?? 0, number)
      }

      let cache = DiskCache(folder.configuration())
      for index in 0..<16 as Range<UInt64> {
        let record = try await cache.read(CacheKey("key \(index)"))
        guard let record else {
          #expect(stored[index] == nil, "round \(round): a stored record is gone")
          continue
        }
        let number = try #require(record.metadata.user["number"].flatMap { UInt64($0) })
        let content =
          isShared ? Self.content(index: 0, number: number % 4) : Self.content(index: index, number: number)
        #expect(record.data == content, "round \(round)")
        #expect(number >= stored[index] ?? 0, "round \(round): an older record came back")
        found += 1
      }
      #expect(try await cache.statistics().damaged == 0)
    }
    #expect(found > 2000)
    let cache = DiskCache(folder.configuration())
    #expect(try await cache.verify().damaged.isEmpty)
    #expect(try await cache.statistics().bytes == folder.walk().bytes)
    // Of the last of them a record may be left that was not put into place: the next one is written over it.
    #expect(folder.temporaries.allSatisfy { $0 == "new" })
    try await DiskCache(folder.configuration()).store(
      Self.content(index: 0, number: 1), for: CacheKey("last"))
    #expect(folder.temporaries.isEmpty)
  }

  /// Pairs of words; one that was cut off at the end is dropped.
  private static func reports(_ output: [UInt8]) -> [(UInt64, UInt64)] {
    output.withUnsafeBytes { raw in
      (0..<raw.count / 16).map { index in
        (
          raw.loadUnaligned(fromByteOffset: index * 16, as: UInt64.self),
          raw.loadUnaligned(fromByteOffset: index * 16 + 8, as: UInt64.self)
        )
      }
    }
  }

  /// What the writer writes.
  private static func content(index: UInt64, number: UInt64) -> Data {
    let factor = (number << 8 | index) &* 0x9E37_79B9_7F4A_7C15
    let block = (1...128 as ClosedRange<UInt64>).map { $0 &* factor }
    return block.withUnsafeBytes { raw in
      var content = Data()
      for _ in 0..<factor >> 57 { content.append(contentsOf: raw) }
      return content
    }
  }

  private func spin(microseconds: Int) {
    let end = ContinuousClock.now + .microseconds(microseconds)
    while ContinuousClock.now < end {}
  }
}
