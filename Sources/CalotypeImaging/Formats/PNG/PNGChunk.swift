import CDeflate

/// The type of a chunk: its four letters as a big-endian number.
struct PNGChunkType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  private init(_ name: StaticString) {
    rawValue = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
  }

  static let header = PNGChunkType("IHDR")
  static let palette = PNGChunkType("PLTE")
  static let imageData = PNGChunkType("IDAT")
  static let end = PNGChunkType("IEND")
  static let transparency = PNGChunkType("tRNS")
  static let profile = PNGChunkType("iCCP")
  static let standardRGB = PNGChunkType("sRGB")
  static let gamma = PNGChunkType("gAMA")
  static let chromaticities = PNGChunkType("cHRM")
  static let codePoints = PNGChunkType("cICP")
  static let contentLight = PNGChunkType("cLLI")
  static let masteringDisplay = PNGChunkType("mDCV")
  static let text = PNGChunkType("iTXt")
  static let latinText = PNGChunkType("tEXt")
  static let compressedText = PNGChunkType("zTXt")
  static let exif = PNGChunkType("eXIf")
  static let time = PNGChunkType("tIME")
  static let pixelSize = PNGChunkType("pHYs")
  static let animationControl = PNGChunkType("acTL")
  static let frameControl = PNGChunkType("fcTL")
  static let frameData = PNGChunkType("fdAT")
  static let background = PNGChunkType("bKGD")
  static let significantBits = PNGChunkType("sBIT")
  static let paletteHistogram = PNGChunkType("hIST")
  static let appleHeader = PNGChunkType("CgBI")

  var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) } }

  /// A Boolean value that indicates whether all four bytes are ASCII letters, as PNG (third edition) 5.3 demands.
  var isValid: Bool {
    (0..<4).allSatisfy { (0x61...0x7a).contains(UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) | 0x20) }
  }

  /// A Boolean value that indicates whether a decoder has to reject the file if it does not know the chunk: the first
  /// letter is a capital (5.4).
  var isCritical: Bool { rawValue & 0x2000_0000 == 0 }

  var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// The location of a chunk in its file. It never reaches beyond the input.
struct PNGChunk: Hashable, Sendable {
  let type: PNGChunkType
  /// The range from the length field to the end of the CRC, as far as there is input.
  let range: Range<Int>
  /// The range of the data, as far as there is input.
  let payload: Range<Int>
  /// A Boolean value that indicates whether the input contains all data and the CRC.
  let isComplete: Bool
}

/// A cursor that steps from chunk to chunk.
struct PNGChunkCursor {
  let bytes: UnsafeRawBufferPointer
  /// The offset of the next chunk.
  private(set) var offset: Int

  init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Returns to the start of a chunk, to read it again once there is more input.
  mutating func back(to chunk: PNGChunk) { offset = chunk.range.lowerBound }

  /// Returns the next chunk; `nil` at the end of the input, also if it ends within a chunk's length and type.
  ///
  /// - Throws: `corrupt` for an impossible length or type.
  mutating func next() throws(ImagingError) -> PNGChunk? {
    guard offset <= bytes.count, bytes.count - offset >= 8 else { return nil }
    let length = bytes.bigEndian32(at: offset)
    guard length <= UInt32(Int32.max) else {
      throw .corrupt(.png, reason: "a chunk claims \(length) bytes; 2147483647 is the most", offset: offset)
    }
    let type = PNGChunkType(rawValue: bytes.bigEndian32(at: offset + 4))
    guard type.isValid else {
      throw .corrupt(.png, reason: "a chunk type is not four letters", offset: offset + 4)
    }
    let start = offset + 8
    let available = bytes.count - start
    let isComplete = Int(length) + 4 <= available
    let payload = start..<start + min(Int(length), available)
    let end = isComplete ? payload.upperBound + 4 : bytes.count
    defer { offset = end }
    return PNGChunk(type: type, range: offset..<end, payload: payload, isComplete: isComplete)
  }

  /// Returns true if the CRC of a complete chunk fits its type and data.
  func hasValidCRC(_ chunk: PNGChunk) -> Bool {
    guard chunk.isComplete else { return false }
    let covered = UnsafeRawBufferPointer(
      rebasing: bytes[(chunk.payload.lowerBound - 4)..<chunk.payload.upperBound])
    return PNGChecksum.crc(of: covered) == bytes.bigEndian32(at: chunk.payload.upperBound)
  }
}

/// The CRC of chunks (PNG, annex D), by libdeflate.
enum PNGChecksum {
  static func crc(of bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
    // Without an address libdeflate would restart the sum.
    bytes.baseAddress == nil ? crc : libdeflate_crc32(crc, bytes.baseAddress, bytes.count)
  }

  /// Returns a whole chunk: length, type, data, CRC.
  static func chunk(_ type: PNGChunkType, _ payload: [UInt8]) -> [UInt8] {
    let named = type.bytes + payload
    return UInt32(truncatingIfNeeded: payload.count).bigEndianBytes + named
      + named.withUnsafeBytes { crc(of: $0) }.bigEndianBytes
  }
}

extension UInt32 {
  /// The four bytes, most significant first.
  var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}

extension UnsafeRawBufferPointer {
  /// Reads four bytes as a number, most significant first. The caller has checked that they are present.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Reads two bytes as a number, most significant first. The caller has checked that they are present.
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
}
