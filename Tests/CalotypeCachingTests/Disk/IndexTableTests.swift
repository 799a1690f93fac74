import CalotypeTestKit
import CalotypeSupport
import FoundationEssentials
import Testing

@testable import CalotypeCaching

/// The table of the index does what a dictionary does.
@Suite struct IndexTableTests {
  private func digest(_ number: UInt64, isPoor: Bool) -> Digest256 {
    // Some differ where the table does not look.
    isPoor
      ? Digest256(word0: number, word1: number % 3, word2: 0, word3: number)
      : withUnsafeBytes(of: number) { Digest256(sha256: $0) }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64], [false, true])
  func randomOperationsAsADictionary(seed: UInt64, isPoor: Bool) {
    var numbers = SeededGenerator(seed: seed)
    var table = IndexTable()
    var model: [Digest256: IndexEntry] = [:]
    let range = isPoor ? 60 : 3000 as UInt64
    for step in 0..<40_000 {
      let digest = digest(numbers.next() % range, isPoor: isPoor)
      switch numbers.next() % 5 {
      case 0, 1:
        let entry = IndexEntry(
          digest: digest, size: Int(numbers.next() % 100_000), accessed: Date(microseconds: Int64(step)))
        table.put(entry)
        model[digest] = entry
      case 2, 3:
        #expect(table.remove(digest) == model.removeValue(forKey: digest))
      default:
        #expect(table[digest] == model[digest])
      }
      #expect(table.count == model.count)
    }
    #expect(table.bytes == model.values.reduce(0) { $0 + Int($1.size) })
    var all: [Digest256: IndexEntry] = [:]
    table.forEach { all[$0.digest] = $0 }
    #expect(all == model)
    // And through the bytes of a file.
    let count = table.count
    let raw = table.withUnsafeBytes { Array($0) }
    let copy = IndexTable(count: count) { buffer in
      buffer.copyBytes(from: raw)
      return true
    }
    var isEqual = false
    if let copy {
      isEqual = copy.count == count && copy.bytes == table.bytes && model.allSatisfy { copy[$0] == $1 }
    }
    #expect(isEqual)
  }

  @Test func filesWithTwoEntriesOfADigestOrOddLengthsAreRefused() {
    func isRefused(_ entries: [IndexEntry]) -> Bool {
      let raw = entries.withUnsafeBytes { Array($0) }
      let table = IndexTable(count: entries.count) { buffer in
        buffer.copyBytes(from: raw)
        return true
      }
      if table == nil { return true }
      return false
    }
    var entry = IndexEntry(digest: digest(1, isPoor: false), size: 5, accessed: Date(microseconds: 0))
    #expect(!isRefused([entry]))
    #expect(isRefused([entry, entry]))
    entry.size = -1
    #expect(isRefused([entry]))
    entry.size = .max
    #expect(isRefused([entry]))
    // A file with holes can be as long as that.
    #expect(IndexEntry(digest: entry.digest, size: .max, accessed: Date()).size == 1 << 40)
  }
}
