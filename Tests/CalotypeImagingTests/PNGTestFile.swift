import FoundationEssentials

/// Writes PNG files for tests by the specification alone: own CRC, own Adler-32, stored deflate blocks. Shares
/// nothing with the coder under test, so that a common mistake cannot hide.
struct PNGTestFile {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]

  var width: Int
  var height: Int
  var depth = 8
  var colorType = 6
  var isInterlaced = false

  /// Channels of a pixel as stored.
  var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }

  var header: [UInt8] { header(width, height) }

  func header(_ width: Int, _ height: Int) -> [UInt8] {
    Self.chunk(
      "IHDR",
      Self.number(width) + Self.number(height) + [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0])
  }

  /// A complete file of the given chunks between IHDR and IEND.
  func file(_ chunks: [UInt8]...) -> Data {
    Data(Self.signature + header + chunks.flatMap { $0 } + Self.chunk("IEND", []))
  }

  /// The zlib stream of a picture whose samples `sample(x, y, channel)` returns.
  func compressed(size: (Int, Int)? = nil, _ sample: (Int, Int, Int) -> Int) -> [UInt8] {
    let (width, height) = size ?? (self.width, self.height)
    let passes =
      isInterlaced
      ? [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
      ] : [(0, 0, 1, 1)]
    var raw: [UInt8] = []
    for (x0, y0, dx, dy) in passes where x0 < width && y0 < height {
      var above: [UInt8] = []
      for (index, y) in stride(from: y0, to: height, by: dy).enumerated() {
        let row = packedRow(
          stride(from: x0, to: width, by: dx).map { x in (0..<channels).map { sample(x, y, $0) } })
        if above.isEmpty { above = [UInt8](repeating: 0, count: row.count) }
        // Every filter has its turn.
        let filter = (index + 1) % 5
        raw += [UInt8(filter)] + filtered(row, above, filter)
        above = row
      }
    }
    return Self.stored(raw)
  }

  private func packedRow(_ pixels: [[Int]]) -> [UInt8] {
    var bits: [UInt8] = []
    for value in pixels.joined() {
      for bit in stride(from: depth - 1, through: 0, by: -1) { bits.append(UInt8(value >> bit & 1)) }
    }
    bits += [UInt8](repeating: 0, count: (8 - bits.count % 8) % 8)
    return stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
    }
  }

  private func filtered(_ row: [UInt8], _ above: [UInt8], _ filter: Int) -> [UInt8] {
    let step = max(1, channels * depth / 8)
    return row.indices.map { i in
      let left = i >= step ? Int(row[i - step]) : 0
      let up = Int(above[i])
      let corner = i >= step ? Int(above[i - step]) : 0
      let predicted: Int
      switch filter {
      case 1: predicted = left
      case 2: predicted = up
      case 3: predicted = (left + up) / 2
      case 4:
        let p = left + up - corner
        let (a, b, c) = (abs(p - left), abs(p - up), abs(p - corner))
        predicted = a <= b && a <= c ? left : (b <= c ? up : corner)
      default: predicted = 0
      }
      return UInt8(truncatingIfNeeded: Int(row[i]) - predicted)
    }
  }

  static func stored(_ raw: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let count = min(65535, raw.count - start)
      let length = [UInt8(count & 255), UInt8(count >> 8)]
      stream +=
        [start + count == raw.count ? 1 : 0] + length + length.map { ~$0 } + raw[start..<start + count]
      start += count
    } while start < raw.count
    var (a, b) = (1, 0)
    for byte in raw {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + number(b << 16 | a)
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let named = Array(type.utf8) + data
    var crc: UInt32 = 0xffff_ffff
    for byte in named {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
    }
    return number(data.count) + named + number(Int(~crc))
  }

  static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// An acTL chunk.
  static func animation(frames: Int, plays: Int = 0) -> [UInt8] {
    chunk("acTL", number(frames) + number(plays))
  }

  /// An fcTL chunk.
  static func frame(
    _ sequence: Int, _ width: Int, _ height: Int, x: Int = 0, y: Int = 0, delay: (Int, Int) = (1, 10),
    disposal: UInt8 = 0, blend: UInt8 = 0
  ) -> [UInt8] {
    chunk(
      "fcTL",
      [sequence, width, height, x, y].flatMap(number) + number(delay.0 << 16 | delay.1) + [disposal, blend])
  }

  /// An fdAT chunk.
  static func frameData(_ sequence: Int, _ data: [UInt8]) -> [UInt8] {
    chunk("fdAT", number(sequence) + data)
  }
}
