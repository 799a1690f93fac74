import CalotypeSupport
import FoundationEssentials

/// The changes since the ``IndexFile`` was written: a head of 64 bytes, then changes of 80 bytes each.
///
/// The checksum of a change begins with the generation and the position, so that no change is mistaken for another. The
/// file is append-only; a replaced journal has lost its name, which makes all processes reload.
enum Journal {
  private static let magic: UInt64 = 0x4E52_554F_4A4C_4143  // "CALJOURN"
  static let version: UInt32 = 1
  static let headLength = 64
  static let changeLength = 80

  enum Change: Equatable, Sendable {
    /// A record has its name, or is about to get it.
    case put(IndexEntry)
    /// A record was removed.
    case remove(Digest256)
    /// Nothing follows: an index file of this generation is about to replace the journal.
    case sealed(next: UInt64)
  }

  static func encodeHead(generation: UInt64) -> Data {
    var bytes: [UInt8] = []
    bytes.append(native: magic)
    bytes.append(native: version)
    bytes.append(native: UInt32(0))
    bytes.append(native: generation)
    bytes += [UInt8](repeating: 0, count: headLength - 8 - bytes.count)
    bytes.append(native: bytes.withUnsafeBytes { Checksum(of: $0) }.value)
    return Data(bytes)
  }

  /// Reads the generation of a journal; `nil` when the file is not a journal of this machine.
  static func decodeHead(_ raw: UnsafeRawBufferPointer) -> UInt64? {
    guard raw.count == headLength, raw.loadUnaligned(as: UInt64.self) == magic,
      raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == version,
      Checksum(of: UnsafeRawBufferPointer(rebasing: raw[..<(headLength - 8)])).value
        == raw.loadUnaligned(fromByteOffset: headLength - 8, as: UInt64.self)
    else { return nil }
    return raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
  }

  /// - Parameters:
  ///   - changes: The changes.
  ///   - generation: The generation in the head.
  ///   - offset: Their position in the file.
  static func encode(_ changes: [Change], generation: UInt64, offset: Int) -> Data {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(changes.count * changeLength)
    for change in changes {
      let start = bytes.count
      let (kind, entry): (UInt32, IndexEntry) =
        switch change {
        case .put(let entry): (1, entry)
        case .remove(let digest): (2, IndexEntry(digest: digest, size: 0, accessed: Date(microseconds: 0)))
        case .sealed(let next):
          (
            3,
            IndexEntry(
              digest: Digest256(word0: next, word1: 0, word2: 0, word3: 0), size: 0,
              accessed: Date(microseconds: 0))
          )
        }
      bytes.append(native: kind)
      bytes.append(native: UInt32(0))
      withUnsafeBytes(of: entry) { bytes.append(contentsOf: $0) }
      let seed = Self.seed(generation, offset + start)
      bytes.append(
        native: bytes.withUnsafeBytes {
          Checksum(of: UnsafeRawBufferPointer(rebasing: $0[start...]), seed: seed).value
        })
    }
    return Data(bytes)
  }

  /// Reads the change at `offset` of the file; `nil` when it is damaged.
  static func decode(_ raw: UnsafeRawBufferPointer, generation: UInt64, offset: Int) -> Change? {
    guard raw.count == changeLength else { return nil }
    let checked = UnsafeRawBufferPointer(rebasing: raw[..<(changeLength - 8)])
    guard
      Checksum(of: checked, seed: seed(generation, offset)).value
        == raw.loadUnaligned(fromByteOffset: changeLength - 8, as: UInt64.self)
    else { return nil }
    let entry = raw.loadUnaligned(fromByteOffset: 8, as: IndexEntry.self)
    guard entry.isPlausible else { return nil }
    switch raw.loadUnaligned(as: UInt32.self) {
    case 1: return .put(entry)
    case 2: return .remove(entry.digest)
    case 3: return .sealed(next: entry.digest.word0)
    default: return nil
    }
  }

  private static func seed(_ generation: UInt64, _ offset: Int) -> UInt64 {
    generation ^ UInt64(offset) &* 0x9E37_79B9_7F4A_7C15
  }

  /// The length of a journal as stored in the lock file: 24 bytes.
  struct Mark: Equatable, Sendable {
    static let length = 24

    var generation: UInt64
    var end: Int

    init(generation: UInt64, end: Int) {
      self.generation = generation
      self.end = end
    }

    /// `nil` when it was never written completely.
    init?(_ raw: UnsafeRawBufferPointer) {
      guard raw.count == Self.length,
        Checksum(of: UnsafeRawBufferPointer(rebasing: raw[..<16]), seed: magic).value
          == raw.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
        let end = Int(exactly: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      else { return nil }
      self.init(generation: raw.loadUnaligned(as: UInt64.self), end: end)
    }

    var encoded: Data {
      var bytes: [UInt8] = []
      bytes.append(native: generation)
      bytes.append(native: UInt64(end))
      bytes.append(native: bytes.withUnsafeBytes { Checksum(of: $0, seed: magic) }.value)
      return Data(bytes)
    }
  }
}
