import CalotypeSupport
import FoundationEssentials

/// A snapshot of the index: a head of 64 bytes, then the entries.
///
/// Later changes are in the ``Journal`` of the same generation. Both are in the byte order of the machine: a folder
/// from another machine is listed anew.
enum IndexFile {
  private static let magic: UInt64 = 0x5845_444E_494C_4143  // "CALINDEX"
  static let version: UInt32 = 1
  static let headLength = 64
  /// A gigabyte of entries. A longer file is rejected, because it is loaded into memory.
  static let maxCount = 1 << 24
  private static let order: UInt32 = 0x0102_0304

  struct Head: Equatable, Sendable {
    var generation: UInt64
    var count: Int
    var checksum: UInt64
  }

  static func encodeHead(_ head: Head) -> Data {
    var bytes: [UInt8] = []
    bytes.append(native: magic)
    bytes.append(native: version)
    bytes.append(native: order)
    bytes.append(native: head.generation)
    bytes.append(native: UInt64(head.count))
    bytes.append(native: head.checksum)
    bytes += [UInt8](repeating: 0, count: headLength - 8 - bytes.count)
    bytes.append(native: bytes.withUnsafeBytes { Checksum(of: $0) }.value)
    return Data(bytes)
  }

  /// Reads the head of a file of `fileSize` bytes; `nil` when it is damaged, or of another version or machine.
  static func decodeHead(_ raw: UnsafeRawBufferPointer, fileSize: Int) -> Head? {
    guard raw.count == headLength, raw.loadUnaligned(as: UInt64.self) == magic,
      raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == version,
      raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self) == order,
      Checksum(of: UnsafeRawBufferPointer(rebasing: raw[..<(headLength - 8)])).value
        == raw.loadUnaligned(fromByteOffset: headLength - 8, as: UInt64.self),
      let count = Int(exactly: raw.loadUnaligned(fromByteOffset: 24, as: UInt64.self)),
      count <= maxCount, fileSize == headLength + count * IndexEntry.length
    else { return nil }
    return Head(
      generation: raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self), count: count,
      checksum: raw.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
  }

  struct Contents: ~Copyable {
    private var table: IndexTable
    let generation: UInt64

    init(table: consuming IndexTable, generation: UInt64) {
      self.table = table
      self.generation = generation
    }

    /// Encodes the table.
    mutating func takeTable() -> IndexTable {
      var taken = IndexTable()
      swap(&taken, &table)
      return taken
    }
  }

  /// Decodes a file; `nil` when it is damaged.
  static func read(_ file: any FileReading) throws(FileSystemError) -> Contents? {
    let size = file.status.size
    let start = try file.read(at: 0, count: headLength)
    guard let head = start.withUnsafeBytes({ decodeHead($0, fileSize: size) }) else { return nil }
    let table = try IndexTable(count: head.count) { buffer throws(FileSystemError) -> Bool in
      guard try file.read(at: headLength, into: buffer) == buffer.count else { return false }
      return Checksum(of: UnsafeRawBufferPointer(buffer)).value == head.checksum
    }
    guard let table else { return nil }
    return Contents(table: table, generation: head.generation)
  }
}

extension [UInt8] {
  mutating func append(native value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
  }
}
