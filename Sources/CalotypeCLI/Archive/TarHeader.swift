import FoundationEssentials

/// The block of 512 bytes before an entry of a tar archive: POSIX ustar (IEEE Std 1003.1, pax, "ustar Interchange
/// Format"), what GNU tar makes of it, and v7.
struct TarHeader {
  static let byteCount = 512

  /// The bytes of the name, behind its prefix.
  var name: [UInt8]
  /// The type flag: `0` or NUL for a file, `5` for a folder …
  var type: UInt8
  /// The number of bytes of the contents.
  var size: Int
  /// The time of the last change, in seconds since 1970.
  var modified: Int

  // MARK: Reading

  /// Reads a block; `nil` for a block of zeros, which ends an archive.
  init?(_ block: [UInt8]) throws(TarDamage) {
    if block.allSatisfy({ $0 == 0 }) { return nil }
    // A field that is no number is not that of a header either.
    guard let checksum = try? Self.number(block[148..<156], "checksum"),
      Self.sums(of: block).contains(checksum)
    else { throw TarDamage("the checksum of a header is wrong; is it a tar archive, and not compressed?") }
    type = block[156]
    size = try Self.number(block[124..<136], "size")
    // Not worth refusing an entry.
    modified = (try? Self.number(block[136..<148], "time")) ?? 0
    let name = Array(block[0..<100].prefix { $0 != 0 })
    // GNU tar has times where POSIX has the prefix, and tells so by two spaces instead of a NUL.
    let isPOSIX = block[257..<263].elementsEqual("ustar\0".utf8)
    let prefix = isPOSIX ? Array(block[345..<500].prefix { $0 != 0 }) : []
    self.name = prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
  }

  /// Returns an octal number that ends with a space, a NUL or its field, or a big-endian number of GNU tar.
  private static func number(_ field: ArraySlice<UInt8>, _ what: String) throws(TarDamage) -> Int {
    var value = 0
    if let first = field.first, first & 0x80 != 0 {
      guard first == 0x80 else { throw TarDamage("a \(what) is negative or too large") }
      for byte in field.dropFirst() {
        guard value <= Int.max >> 8 else { throw TarDamage("a \(what) is too large") }
        value = value << 8 | Int(byte)
      }
      return value
    }
    for digit in field.drop(while: { $0 == UInt8(ascii: " ") }).prefix(while: { $0 != 0 && $0 != 0x20 }) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else {
        throw TarDamage("a \(what) is not an octal number")
      }
      // At most 12 digits.
      value = value << 3 | Int(digit - UInt8(ascii: "0"))
    }
    return value
  }

  /// The sums of the bytes with the checksum as spaces; old programs summed up signed bytes.
  private static func sums(of block: [UInt8]) -> [Int] {
    var (unsigned, signed) = (0, 0)
    for (index, byte) in block.enumerated() {
      let byte = (148..<156).contains(index) ? UInt8(ascii: " ") : byte
      unsigned += Int(byte)
      signed += Int(Int8(bitPattern: byte))
    }
    return [unsigned, signed]
  }

  // MARK: Writing

  /// The largest number that has 11 octal digits.
  static let maxSize = 0o77777777777

  /// Describes a file that only its owner may read.
  ///
  /// - Parameters:
  ///   - name: At most 100 bytes.
  ///   - size: The number of bytes.
  ///   - modified: The time of the last change.
  init(file name: String, size: Int, modified: Date) {
    self.name = Array(name.utf8)
    type = UInt8(ascii: "0")
    self.size = size
    let seconds = modified.timeIntervalSince1970
    self.modified = seconds > 0 && seconds < Double(Self.maxSize) ? Int(seconds) : 0
  }

  /// The block.
  var encoded: Data {
    var block = [UInt8](repeating: 0, count: Self.byteCount)
    func put(_ bytes: some Collection<UInt8>, at offset: Int) {
      block.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }
    func put(_ number: Int, at offset: Int, digits: Int) {
      let text = String(number, radix: 8)
      put((String(repeating: "0", count: digits - text.utf8.count) + text).utf8, at: offset)
    }
    put(name, at: 0)
    put(0o600, at: 100, digits: 7)
    put(0, at: 108, digits: 7)
    put(0, at: 116, digits: 7)
    if size <= Self.maxSize {
      put(size, at: 124, digits: 11)
    } else {
      // As GNU tar writes it, and reads it.
      put([0x80], at: 124)
      put(withUnsafeBytes(of: UInt64(size).bigEndian) { Array($0) }, at: 128)
    }
    put(modified, at: 136, digits: 11)
    put([type], at: 156)
    put("ustar\u{0}00".utf8, at: 257)
    put(Self.sums(of: block)[0], at: 148, digits: 6)
    put([0, UInt8(ascii: " ")], at: 154)
    return Data(block)
  }
}
