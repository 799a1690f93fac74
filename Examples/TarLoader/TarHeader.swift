/// One block of 512 bytes before an entry: POSIX ustar (IEEE Std 1003.1, pax, "ustar Interchange Format"), what GNU tar
/// makes of it, and v7.
struct TarHeader {
  static let byteCount = 512

  /// The kind of the entry.
  let type: UInt8
  /// As it is stored, its prefix before it.
  let name: [UInt8]
  /// Whether blocks that describe holes follow, for GNU's old kind of sparse file.
  let hasMoreHoles: Bool
  private let sizeField: ArraySlice<UInt8>

  /// `nil` for a block of zeros, which ends an archive.
  ///
  /// - Parameter block: 512 bytes.
  init?(_ block: [UInt8]) throws(TarDamage) {
    guard block.count == Self.byteCount else { throw TarDamage("its header is cut off") }
    if block.allSatisfy({ $0 == 0 }) { return nil }
    try Self.verify(block)
    type = block[156]
    sizeField = block[124..<136]
    hasMoreHoles = block[482] != 0
    let name = block[0..<100].prefix { $0 != 0 }
    // GNU has times where POSIX has the prefix, and tells so by two spaces instead of a NUL.
    let isPOSIX = block[257..<263].elementsEqual("ustar\0".utf8)
    let prefix = isPOSIX ? block[345..<500].prefix { $0 != 0 } : []
    self.name = prefix.isEmpty ? Array(name) : prefix + [UInt8(ascii: "/")] + name
  }

  /// Bytes of contents. A later `size` of pax wins over it, and it need not make sense then.
  func size() throws(TarDamage) -> Int {
    try Self.number(sizeField, "size")
  }

  private static let doubt = "; is it a tar archive, and not compressed?"

  private static func verify(_ block: [UInt8]) throws(TarDamage) {
    let field = 148..<156
    let stored: Int
    do throws(TarDamage) {
      stored = try number(block[field], "checksum")
    } catch {
      throw TarDamage("\(error.reason)\(doubt)")
    }
    var unsigned = 0
    var signed = 0
    for (index, byte) in block.enumerated() {
      let byte = field.contains(index) ? UInt8(ascii: " ") : byte
      unsigned += Int(byte)
      signed += Int(Int8(bitPattern: byte))
    }
    // Old programs summed up signed bytes.
    guard stored == unsigned || stored == signed else {
      throw TarDamage("the checksum is \(stored) instead of \(unsigned)\(doubt)")
    }
  }

  /// An octal number, ended by a space or NUL or the end of its field, or GNU's big-endian binary.
  static func number(_ field: ArraySlice<UInt8>, _ what: String) throws(TarDamage) -> Int {
    guard let first = field.first else { return 0 }
    if first & 0x80 != 0 {
      guard first & 0x40 == 0 else { throw TarDamage("the \(what) is negative") }
      var value = Int(first & 0x3F)
      for byte in field.dropFirst() {
        guard value <= Int.max >> 8 else { throw TarDamage("the \(what) is larger than a file can be") }
        value = value << 8 | Int(byte)
      }
      return value
    }
    let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") && $0 != 0 }
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else {
        throw TarDamage("the \(what) is not an octal number")
      }
      guard value <= Int.max >> 3 else { throw TarDamage("the \(what) is larger than a file can be") }
      value = value << 3 | Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}
