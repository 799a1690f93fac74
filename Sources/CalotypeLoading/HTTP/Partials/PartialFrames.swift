import CDeflate
import FoundationEssentials

/// The file format of a part: a magic number, then frames of a length, a checksum and the bytes. The first frame is the
/// head as JSON, the others are the body in order.
///
/// Frames are only ever appended, so that a file of a killed process is valid up to the first incomplete frame. Numbers
/// are little-endian, the checksum is the CRC-32 of gzip.
enum PartialFrames {
  static let magic = Array("calotype-part 2\n".utf8)
  /// The bytes before the payload of a frame.
  static let prefix = 8
  /// The largest frame that is written or accepted.
  static let maxFrame = 4 << 20
  static let maxHead = 64 << 10

  /// Returns the length and the checksum before `payload`.
  static func header(of payload: Data) -> [UInt8] {
    let sum = checksum(payload)
    return bytes(UInt32(payload.count)) + bytes(sum)
  }

  /// Length and checksum of a frame; `nil` for an invalid length.
  static func read(_ header: some Collection<UInt8>, limit: Int) -> (length: Int, checksum: UInt32)? {
    guard header.count == prefix else { return nil }
    let length = number(header.prefix(4))
    guard length > 0, length <= limit else { return nil }
    return (Int(length), number(header.dropFirst(4)))
  }

  static func checksum(_ data: Data) -> UInt32 {
    data.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
