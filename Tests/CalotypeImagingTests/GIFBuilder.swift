import FoundationEssentials

/// Writes GIFs block by block, sound or not.
struct GIFBuilder {
  private(set) var bytes: [UInt8] = []

  /// Red, green, blue, white.
  static let palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]

  init(width: Int, height: Int, palette: [UInt8]? = GIFBuilder.palette, version: String = "GIF89a") {
    bytes += version.utf8
    word(width)
    word(height)
    bytes += [palette.map { 0x80 | Self.sizeBits($0) } ?? 0, 0, 0]
    bytes += palette ?? []
  }

  var data: Data { Data(bytes + [0x3B]) }

  /// Without the trailer.
  var openData: Data { Data(bytes) }

  mutating func loop(_ count: Int, name: String = "NETSCAPE2.0") {
    bytes += [0x21, 0xFF, 11] + name.utf8 + [3, 1]
    word(count)
    bytes += [0]
  }

  mutating func control(delay: Int = 0, disposal: UInt8 = 0, transparent: UInt8? = nil) {
    bytes += [0x21, 0xF9, 4, disposal << 2 | (transparent == nil ? 0 : 1)]
    word(delay)
    bytes += [transparent ?? 0, 0]
  }

  /// A frame whose pixels are stored one code each.
  mutating func frame(
    x: Int = 0, y: Int = 0, width: Int, height: Int, pixels: [UInt8], palette: [UInt8]? = nil,
    interlaced: Bool = false
  ) {
    // A clear code before every pixel keeps all codes 3 bits wide.
    let codes = pixels.flatMap { [(4, 3), (Int($0), 3)] } + [(5, 3)]
    frame(x: x, y: y, width: width, height: height, codes: codes, palette: palette, interlaced: interlaced)
  }

  /// A frame of codes with their widths in bits.
  mutating func frame(
    x: Int = 0, y: Int = 0, width: Int, height: Int, codeSize: UInt8 = 2, codes: [(code: Int, width: Int)],
    palette: [UInt8]? = nil, interlaced: Bool = false, blockLength: Int = 255
  ) {
    bytes.append(0x2C)
    for value in [x, y, width, height] { word(value) }
    bytes.append((palette.map { 0x80 | Self.sizeBits($0) } ?? 0) | (interlaced ? 0x40 : 0))
    bytes += palette ?? []
    bytes.append(codeSize)
    var packed: [UInt8] = []
    var bits = 0
    var count = 0
    for (code, width) in codes {
      bits |= code << count
      count += width
      while count >= 8 {
        packed.append(UInt8(bits & 255))
        bits >>= 8
        count -= 8
      }
    }
    if count > 0 { packed.append(UInt8(bits & 255)) }
    for start in stride(from: 0, to: packed.count, by: blockLength) {
      let block = packed[start..<min(start + blockLength, packed.count)]
      bytes.append(UInt8(block.count))
      bytes += block
    }
    bytes.append(0)
  }

  mutating func raw(_ more: [UInt8]) {
    bytes += more
  }

  private mutating func word(_ value: Int) {
    bytes += [UInt8(value & 255), UInt8(value >> 8 & 255)]
  }

  private static func sizeBits(_ palette: [UInt8]) -> UInt8 {
    UInt8((palette.count / 3).trailingZeroBitCount - 1)
  }
}
