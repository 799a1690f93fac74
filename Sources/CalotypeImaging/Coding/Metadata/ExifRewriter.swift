import FoundationEssentials

/// A writer of clean Exif blocks (CIPA DC-008, TIFF 6.0): it keeps only readable entries, writes each value once and
/// gives it a place of its own. A directory is read once for each reference to it, no deeper than there are kinds of
/// directories, and none is copied, so that no input can cause a loop.
enum ExifRewriter {
  /// The largest number of entries in one directory. Cameras write about fifty.
  private static let maxEntries = 1024

  private enum Level {
    case main, exif, interoperability
  }

  private enum Value {
    case bytes(Data)
    case directory([Entry])
  }

  private struct Entry {
    let tag: UInt16
    let type: UInt16
    let count: UInt32
    let value: Value
  }

  /// The author and the copyright.
  static let copyright: Set<UInt16> = [0x013B, 0x8298]

  /// Returns the rewritten block; `nil` if nothing is left.
  ///
  /// - Parameter tags: The tags of directory 0 to keep, without subordinate directories; `nil` keeps all.
  static func rewritten(_ block: Data, tags: Set<UInt16>? = nil) -> Data? {
    let tiff = block.bytes.holds("Exif\0\0") ? block.dropFirst(6) : block
    let bigEndian = tiff.bytes.holds("MM")
    guard bigEndian || tiff.bytes.holds("II"), tiff.bytes.uint16(at: 2, bigEndian: bigEndian) == 42,
      let start = tiff.bytes.uint32(at: 4, bigEndian: bigEndian)
    else { return nil }
    var reader = Reader(tiff: tiff, bigEndian: bigEndian)
    var entries = reader.directory(at: Int(start), level: .main)
    if let tags { entries.removeAll { !tags.contains($0.tag) } }
    guard !entries.isEmpty else { return nil }
    var writer = Writer(bigEndian: bigEndian)
    writer.writeFile(entries)
    return writer.data
  }

  private struct Reader {
    let tiff: Data
    let bigEndian: Bool
    /// Bytes of values that may still be written: overlapping values cannot make the result larger than the input.
    private var budget: Int

    init(tiff: Data, bigEndian: Bool) {
      self.tiff = tiff
      self.bigEndian = bigEndian
      budget = tiff.count
    }

    mutating func directory(at offset: Int, level: Level) -> [Entry] {
      guard offset >= 8, let count = tiff.bytes.uint16(at: offset, bigEndian: bigEndian) else { return [] }
      var entries: [UInt16: Entry] = [:]
      var seen: Set<UInt16> = []
      for index in 0..<min(Int(count), maxEntries) {
        let start = offset + 2 + 12 * index
        // Readers use the first of two entries with one tag; examining the others could take unlimited time.
        guard let tag = tiff.bytes.uint16(at: start, bigEndian: bigEndian), seen.insert(tag).inserted,
          let entry = entry(at: start, level: level)
        else { continue }
        entries[tag] = entry
      }
      return entries.values.sorted { $0.tag < $1.tag }
    }

    private mutating func entry(at offset: Int, level: Level) -> Entry? {
      guard let tag = tiff.bytes.uint16(at: offset, bigEndian: bigEndian),
        let type = tiff.bytes.uint16(at: offset + 2, bigEndian: bigEndian),
        let count = tiff.bytes.uint32(at: offset + 4, bigEndian: bigEndian),
        let field = tiff.bytes.uint32(at: offset + 8, bigEndian: bigEndian)
      else { return nil }
      if let below = Self.directoryBelow(tag, in: level) {
        let entries = directory(at: Int(field), level: below)
        // A reference to a directory is always written as LONG.
        return entries.isEmpty ? nil : Entry(tag: tag, type: 4, count: 1, value: .directory(entries))
      }
      guard !Self.dropped.contains(tag), let size = Self.size(of: type), count > 0 else { return nil }
      let (byteCount, overflow) = Int(count).multipliedReportingOverflow(by: size)
      guard !overflow, byteCount <= budget else { return nil }
      let start = byteCount <= 4 ? offset + 8 : Int(field)
      guard start >= 0, start <= tiff.count - byteCount else { return nil }
      budget -= byteCount
      let first = tiff.startIndex + start
      return Entry(tag: tag, type: type, count: count, value: .bytes(tiff[first..<(first + byteCount)]))
    }

    private static func directoryBelow(_ tag: UInt16, in level: Level) -> Level? {
      switch (level, tag) {
      case (.main, 0x8769): .exif
      case (.exif, 0xA005): .interoperability
      default: nil
      }
    }

    /// Returns the bytes of one element; `nil` for types that no version defines, and for directories (13).
    private static func size(of type: UInt16) -> Int? {
      switch type {
      case 1, 2, 6, 7, 129: 1
      case 3, 8: 2
      case 4, 9, 11: 4
      case 5, 10, 12: 8
      default: nil
      }
    }

    private static let dropped: Set<UInt16> = [
      // References to directories, misplaced or to dropped directories: Exif, GPS, interoperability, SubIFDs, global
      // parameters.
      0x8769, 0x8825, 0xA005, 0x014A, 0x0190,
      // Orientation; width and height, of the stored picture.
      0x0112, 0x0100, 0x0101, 0xA002, 0xA003,
      // Positions of pixels or thumbnails: strips, tiles, free space, JPEG data and tables.
      0x0111, 0x0117, 0x0120, 0x0121, 0x0144, 0x0145, 0x015B, 0x0201, 0x0202, 0x0207, 0x0208, 0x0209,
      // Data in a private format of the manufacturer, some with GPS positions: maker note, data of DNG converters.
      0x927C, 0xC634,
      // Thumbnails in the tags of Microsoft (GDI+); preview of a raw file.
      0x501B, 0x5023, 0x5024, 0x5025, 0xC71A, 0xC6D2,
      // Blocks of another kind: XMP, IPTC, Photoshop resources, ICC profile. Padding.
      0x02BC, 0x83BB, 0x8649, 0x8773, 0xEA1C,
    ]
  }

  private struct Writer {
    let bigEndian: Bool
    var data = Data()

    init(bigEndian: Bool) {
      self.bigEndian = bigEndian
    }

    mutating func writeFile(_ entries: [Entry]) {
      data.append(contentsOf: (bigEndian ? "MM" : "II").utf8)
      append(UInt16(42))
      append(UInt32(8))
      write(entries)
    }

    /// Writes a directory, then its values, then its subdirectories; all at even offsets, as TIFF requires.
    private mutating func write(_ entries: [Entry]) {
      var free = data.count + 2 + 12 * entries.count + 4
      var behind: [Value] = []
      append(UInt16(entries.count))
      for entry in entries {
        append(entry.tag)
        append(entry.type)
        append(entry.count)
        switch entry.value {
        case .bytes(let bytes) where bytes.count <= 4:
          data.append(bytes)
          data.append(contentsOf: repeatElement(0, count: 4 - bytes.count))
        case .bytes(let bytes):
          append(UInt32(free))
          free += bytes.count + bytes.count % 2
          behind.append(entry.value)
        case .directory(let entries):
          append(UInt32(free))
          free += Self.byteCount(of: entries)
          behind.append(entry.value)
        }
      }
      // The offset of the next directory is 0, so there is no thumbnail.
      append(UInt32(0))
      for value in behind {
        switch value {
        case .bytes(let bytes):
          data.append(bytes)
          if bytes.count % 2 == 1 { data.append(0) }
        case .directory(let entries):
          write(entries)
        }
      }
    }

    private static func byteCount(of entries: [Entry]) -> Int {
      entries.reduce(2 + 12 * entries.count + 4) { sum, entry in
        switch entry.value {
        case .bytes(let bytes): sum + (bytes.count <= 4 ? 0 : bytes.count + bytes.count % 2)
        case .directory(let entries): sum + byteCount(of: entries)
        }
      }
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
      let ordered = bigEndian ? number.bigEndian : number.littleEndian
      withUnsafeBytes(of: ordered) { data.append(contentsOf: $0) }
    }
  }
}
