/// Bounds-checked reads for parsers of hostile bytes: reads outside return `nil`, never trap.
extension RawSpan {
  /// Returns the byte at an offset.
  package func byte(at offset: Int) -> UInt8? {
    guard offset >= 0, offset < byteCount else { return nil }
    return unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Returns the 16-bit integer at an offset.
  package func uint16(at offset: Int, bigEndian: Bool) -> UInt16? {
    guard offset >= 0, offset <= byteCount - 2 else { return nil }
    let value = unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
    return bigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
  }

  /// Returns the 32-bit integer at an offset.
  package func uint32(at offset: Int, bigEndian: Bool) -> UInt32? {
    guard offset >= 0, offset <= byteCount - 4 else { return nil }
    let value = unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return bigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
  }

  /// Returns true if these ASCII characters are at an offset.
  package func holds(_ ascii: StaticString, at offset: Int = 0) -> Bool {
    let count = ascii.utf8CodeUnitCount
    guard offset >= 0, count <= byteCount, offset <= byteCount - count else { return false }
    return ascii.withUTF8Buffer { wanted in
      for i in 0..<count where unsafeLoad(fromByteOffset: offset + i, as: UInt8.self) != wanted[i] {
        return false
      }
      return true
    }
  }

  /// Returns true if these bytes are at an offset.
  package func holds(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, bytes.count <= byteCount, offset <= byteCount - bytes.count else { return false }
    for i in bytes.indices where unsafeLoad(fromByteOffset: offset + i, as: UInt8.self) != bytes[i] {
      return false
    }
    return true
  }
}
