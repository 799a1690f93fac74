import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCLI

@Suite("Tar archives", .timeLimit(.minutes(1)))
struct TarTests {
  private func block(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var block = Array(TarHeader(file: "name", size: 5, modified: Date(timeIntervalSince1970: 99)).encoded)
    change(&block)
    return block
  }

  /// Puts the right checksum into a block.
  private func sign(_ block: inout [UInt8]) {
    for index in 148..<156 { block[index] = UInt8(ascii: " ") }
    let digits = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    block.replaceSubrange(
      148..<156, with: Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8) + [0, 32])
  }

  @Test("a header reads as it was written")
  func header() throws {
    let header = try #require(try TarHeader(block { _ in }))
    #expect(
      header.name == Array("name".utf8) && header.size == 5 && header.modified == 99 && header.type == 48)
    #expect(try TarHeader([UInt8](repeating: 0, count: 512)) == nil)
    for date in [-5, .infinity, 1e30] {
      #expect(TarHeader(file: "a", size: 0, modified: Date(timeIntervalSince1970: date)).modified == 0)
    }
  }

  @Test("a size of more than eleven octal digits is written as GNU tar does")
  func largeSize() throws {
    for size in [TarHeader.maxSize, TarHeader.maxSize + 1, 1 << 40, .max] {
      let block = TarHeader(file: "a", size: size, modified: Date(timeIntervalSince1970: 1)).encoded
      #expect(try TarHeader(Array(block))?.size == size)
    }
  }

  @Test("any change of a header is noticed")
  func checksum() {
    for index in 0..<500 where index < 148 || index > 155 {
      #expect(throws: TarDamage.self, "\(index)") { try TarHeader(block { $0[index] &+= 1 }) }
    }
  }

  @Test("sizes in binary are read, and impossible ones are refused")
  func sizes() throws {
    func size(_ field: [UInt8]) throws -> Int? {
      try TarHeader(
        block { block in
          block.replaceSubrange(124..<136, with: field)
          sign(&block)
        })?.size
    }
    let zeros = [UInt8](repeating: 0, count: 7)
    #expect(try size([0x80] + zeros + [1, 2, 3, 4]) == 0x0102_0304)
    #expect(try size(Array("  17        ".utf8)) == 15)
    for field in [
      [0xFF] + [UInt8](repeating: 0xFF, count: 11), [0x80] + [UInt8](repeating: 0xFF, count: 11),
      Array("00000000008\0".utf8), Array("-0000000001\0".utf8),
    ] { #expect(throws: TarDamage.self) { try size(field) } }
  }

  @Test("pax records replace name, size and time, and malformed ones are refused")
  func pax() throws {
    let records = try PaxRecords(Array("11 path=ab\n10 size=7\n19 mtime=1234.5678\n".utf8))
    #expect(records.path == Array("ab".utf8) && records.size == 7 && records.modified == 1234)
    #expect(try PaxRecords(Array("22 GNU.sparse.major=1\n".utf8)).isSparse)
    for text in ["5 a=b", "x", "99 a=b\n", "0 a=b\n", "999999999 a=b\n", "5 a=b\n", "5 ab\n", "11 size=-7\n"]
    {
      #expect(throws: TarDamage.self, "\(text)") { try PaxRecords(Array(text.utf8)) }
    }
  }

  @Test("random bytes are a header with a size that a file can have, or damage", arguments: 0..<8)
  func randomBytes(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5_000 {
      let header = block { block in
        for _ in 0..<Int.random(in: 1...20, using: &random) {
          block[Int.random(in: 0..<512, using: &random)] = .random(in: 0...255, using: &random)
        }
        sign(&block)
      }
      if let size = try? TarHeader(header)?.size { #expect(size >= 0) }
      var records = Array("11 path=ab\n10 size=7\n19 mtime=1234.5678\n22 GNU.sparse.major=1\n".utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: records.indices, using: &random)
        records[index] =
          [32, 48, 57, 61, 10, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      let cut = records.prefix(Int.random(in: 0...records.count, using: &random))
      if let pax = try? PaxRecords(Array(cut)) { #expect(pax.size ?? 0 >= 0 && pax.path?.isEmpty != true) }
    }
  }
}
