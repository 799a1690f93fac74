import CalotypeImaging

/// A cursor over the bytes of a PNM file: numbers as text, separated by white space and comments, then samples.
struct PNMReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var truncated: ImagingError { .truncated(.pnm, byteCount: bytes.count) }

  /// Takes the next byte.
  mutating func next() -> UInt8? {
    guard position < bytes.count else { return nil }
    position += 1
    return bytes[position - 1]
  }

  /// Takes a number in decimal and the white space behind it, which has to be there: a number at the very end may have
  /// lost digits.
  mutating func number() throws(ImagingError) -> Int {
    guard var byte = skipSpace() else { throw truncated }
    var value = 0
    while true {
      guard (0x30...0x39).contains(byte) else { throw unexpected(byte) }
      value = value * 10 + Int(byte) - 0x30
      guard value <= Int(Int32.max) else {
        throw .corrupt(.pnm, reason: "a number has too many digits", offset: position)
      }
      guard let following = next() else { throw truncated }
      if Self.isSpace(following) { return value }
      byte = following
    }
  }

  /// Takes a single digit, 0 or 1; white space between them is optional.
  mutating func bit() throws(ImagingError) -> Int {
    guard let byte = skipSpace() else { throw truncated }
    guard byte == 0x30 || byte == 0x31 else { throw unexpected(byte) }
    return Int(byte) - 0x30
  }

  /// Takes the bytes of a row.
  mutating func row(byteCount: Int) throws(ImagingError) -> Slice<UnsafeRawBufferPointer> {
    guard byteCount <= bytes.count - position else { throw truncated }
    defer { position += byteCount }
    return bytes[position..<position + byteCount]
  }

  /// Takes the first byte behind white space and comments.
  private mutating func skipSpace() -> UInt8? {
    while let byte = next() {
      if byte == UInt8(ascii: "#") {
        while let comment = next(), comment != 0x0A, comment != 0x0D {}
      } else if !Self.isSpace(byte) {
        return byte
      }
    }
    return nil
  }

  private func unexpected(_ byte: UInt8) -> ImagingError {
    .corrupt(.pnm, reason: "the byte \(byte) is no digit", offset: position - 1)
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
