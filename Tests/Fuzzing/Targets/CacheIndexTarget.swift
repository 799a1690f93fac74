@testable import CalotypeSupport
@testable import CalotypeCaching
import FoundationEssentials

/// Reads the bytes as an index of the disk cache and as its journal, and writes both with what they say.
enum CacheIndexTarget {
  static func run(_ input: FuzzInput) throws {
    var bytes = input.bytes
    if input.choices.contains(.looksAround) {
      if input.choices.contains(.repairsChecksums) { repairJournal(&bytes) }
      try readJournal(input.data(of: bytes))
    } else {
      if input.choices.contains(.repairsChecksums) { repairIndex(&bytes) }
      try readIndex(input.data(of: bytes))
    }
    _ = input.data(of: bytes).withUnsafeBytes { Journal.Mark($0) }
  }

  /// A file that is in memory.
  private struct Memory: FileReading {
    let data: Data

    var status: FileStatus {
      FileStatus(kind: .regular, size: data.count, modified: Date(timeIntervalSince1970: 0), identity: 1)
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileSystemError) -> Int {
      let rest = data.dropFirst(offset).prefix(buffer.count)
      buffer.copyBytes(from: rest)
      return rest.count
    }
  }

  private static func readIndex(_ data: Data) throws {
    guard var contents = try IndexFile.read(Memory(data: data)) else { return }
    let generation = contents.generation
    let table = contents.takeTable()
    try check(table)
    let entries = table.withUnsafeBytes { Data($0) }
    let head = IndexFile.Head(
      generation: generation, count: table.count,
      checksum: entries.withUnsafeBytes { Checksum(of: $0) }.value)
    let encoded = IndexFile.encodeHead(head)
    let again = encoded.withUnsafeBytes { IndexFile.decodeHead($0, fileSize: data.count) }
    try FuzzFailure.unless(again == head, "\(head) became \(again as Any)")
    try FuzzFailure.unless(entries == data.dropFirst(IndexFile.headLength), "entries that became others")
  }

  private static func readJournal(_ data: Data) throws {
    guard
      let generation = data.prefix(Journal.headLength).withUnsafeBytes({ Journal.decodeHead($0) })
    else { return }
    var table = IndexTable()
    var offset = Journal.headLength
    while data.count - offset >= Journal.changeLength {
      let piece = data.dropFirst(offset).prefix(Journal.changeLength)
      guard
        let change = piece.withUnsafeBytes({ Journal.decode($0, generation: generation, offset: offset) })
      else { break }
      let encoded = Journal.encode([change], generation: generation, offset: offset)
      let again = encoded.withUnsafeBytes { Journal.decode($0, generation: generation, offset: offset) }
      try FuzzFailure.unless(again == change, "\(change) became \(again as Any)")
      let elsewhere = encoded.withUnsafeBytes {
        Journal.decode($0, generation: generation, offset: offset + 80)
      }
      try FuzzFailure.unless(elsewhere == nil, "a change that is believed in another place")
      switch change {
      case .put(let entry):
        table.put(entry)
        try FuzzFailure.unless(table[entry.digest] == entry, "an entry that is not found")
      case .remove(let digest):
        table.remove(digest)
        try FuzzFailure.unless(table[digest] == nil, "an entry that stays")
      case .sealed: break
      }
      offset += Journal.changeLength
    }
    try check(table)
  }

  /// What the table says of itself.
  private static func check(_ table: borrowing IndexTable) throws {
    var entries: [IndexEntry] = []
    table.forEach { entries.append($0) }
    var bytes = 0
    for entry in entries {
      let found = table[entry.digest]
      try FuzzFailure.unless(found == entry, "\(entry) is found as \(found as Any)")
      bytes += Int(entry.size)
    }
    let (count, sum) = (table.count, table.bytes)
    try FuzzFailure.unless(
      count == entries.count && sum == bytes,
      "\(count) entries of \(sum) bytes are \(entries.count) of \(bytes)")
  }

  private static func put(_ value: UInt64, _ bytes: inout [UInt8], at offset: Int, count: Int = 8) {
    for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
  }

  private static func checksum(_ bytes: [UInt8], _ range: Range<Int>, seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { Checksum(of: UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed).value }
  }

  /// Makes a head for as many entries as there are bytes, with lengths that make sense more often than not.
  private static func repairIndex(_ bytes: inout [UInt8]) {
    guard bytes.count >= IndexFile.headLength else { return }
    let count = (bytes.count - IndexFile.headLength) / IndexEntry.length
    bytes.removeLast((bytes.count - IndexFile.headLength) % IndexEntry.length)
    for number in 0..<count where bytes[64 + number * 64] & 1 == 0 {
      put(0, &bytes, at: 64 + number * 64 + 51, count: 5)
    }
    let head = IndexFile.Head(
      generation: UInt64(bytes[16]), count: count, checksum: checksum(bytes, 64..<bytes.count))
    bytes.replaceSubrange(0..<IndexFile.headLength, with: IndexFile.encodeHead(head))
  }

  /// Makes head and checksums right, and the kinds of changes known ones more often than not.
  private static func repairJournal(_ bytes: inout [UInt8]) {
    guard bytes.count >= Journal.headLength else { return }
    let generation = UInt64(bytes[16])
    bytes.replaceSubrange(0..<Journal.headLength, with: Journal.encodeHead(generation: generation))
    for start in stride(
      from: Journal.headLength, to: bytes.count - Journal.changeLength + 1, by: Journal.changeLength)
    {
      put(UInt64(bytes[start] % 5), &bytes, at: start, count: 4)
      if bytes[start + 8] & 1 == 0 { put(0, &bytes, at: start + 59, count: 5) }
      let seed = generation ^ UInt64(start) &* 0x9E37_79B9_7F4A_7C15
      put(checksum(bytes, start..<start + 72, seed: seed), &bytes, at: start + 72)
    }
  }
}
