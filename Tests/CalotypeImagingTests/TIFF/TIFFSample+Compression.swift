import FoundationEssentials

@testable import CalotypeImaging

extension TIFFSample {
  /// PackBits with literal runs only.
  static func packBits(_ raw: [UInt8], _: Int, _ height: Int) -> [UInt8] {
    let length = raw.count / height
    return (0..<height).flatMap { row in
      stride(from: row * length, to: (row + 1) * length, by: 128).flatMap { start in
        let run = raw[start..<min(start + 128, (row + 1) * length)]
        return [UInt8(run.count - 1)] + run
      }
    }
  }

  /// LZW with codes of 9 bits: the table is cleared before longer ones are needed.
  static func lzw(_ raw: [UInt8], _: Int, _: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var word = 0
    var have = 0
    func put(_ code: Int) {
      word = (word << 9 | code) & 0xFFFF_FFFF
      have += 9
      while have >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: word >> (have - 8)))
        have -= 8
      }
    }
    for (index, byte) in raw.enumerated() {
      if index % 200 == 0 { put(256) }
      put(Int(byte))
    }
    put(257)
    if have > 0 { bytes.append(UInt8(truncatingIfNeeded: word << (8 - have))) }
    return bytes
  }

  /// Deflate with stored blocks.
  static func deflate(_ raw: [UInt8], _: Int, _: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: max(1, raw.count), by: 65_535) {
      let block = raw[start..<min(raw.count, start + 65_535)]
      let count = block.count
      bytes.append(start + 65_535 >= raw.count ? 1 : 0)
      bytes += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
      bytes += block
    }
    var (a, b) = (1, 0)
    for byte in raw { (a, b) = ((a + Int(byte)) % 65_521, (b + a + Int(byte)) % 65_521) }
    return bytes + [UInt8(b >> 8), UInt8(b & 255), UInt8(a >> 8), UInt8(a & 255)]
  }

  /// Zstandard with one raw block, of less than 128 KiB.
  static func zstd(_ raw: [UInt8], _: Int, _: Int) -> [UInt8] {
    let header = raw.count << 3 | 1
    let count = raw.count
    return [0x28, 0xB5, 0x2F, 0xFD, 0xA0]
      + [UInt8(count & 255), UInt8(count >> 8 & 255), UInt8(count >> 16 & 255), UInt8(count >> 24)]
      + [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16 & 255)] + raw
  }

  /// Group 4 fax of a white picture: every row is like the white one above it; then the end of the block.
  static func whiteFax(_: [UInt8], _: Int, _ height: Int) -> [UInt8] {
    let end = "000000000001"
    let code = String(repeating: "1", count: height) + end + end + "0000000"
    return stride(from: 0, to: code.count - 7, by: 8).map { start in
      let digits = code.dropFirst(start).prefix(8)
      return UInt8(digits, radix: 2) ?? 0
    }
  }

  /// Encodes red, green and blue of a strip or tile by a coder of this package.
  static func encoded(
    by options: EncodeOptions
  ) -> (_ raw: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
    { raw, width, height in
      let bitmap = try? Bitmap(rgb: raw, width: width, height: height)
      let data = bitmap.flatMap { try? CoderRegistry.standard.encode(Image(bitmap: $0), as: options) }
      return data.map { Array($0) } ?? []
    }
  }
}
