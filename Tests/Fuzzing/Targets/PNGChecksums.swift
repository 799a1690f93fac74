@testable import CalotypeImaging

/// Makes the CRC of every PNG chunk right: a mutated chunk is else refused before it is looked at.
enum PNGChecksums {
  static func repaired(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: PNGHeader.signature) else { return file }
    var file = file
    var offset = PNGHeader.signature.count
    while file.count - offset >= 12 {
      let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - offset - 12 else { break }
      let end = offset + 8 + length
      let checksum = Self.checksum(file[(offset + 4)..<end])
      for index in 0..<4 { file[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index)) }
      offset = end + 4
    }
    return file
  }

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }
}
