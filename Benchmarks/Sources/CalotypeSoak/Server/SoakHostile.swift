import Calotype
import FoundationEssentials

/// Bodies that are no images, or say that they are larger than anybody's memory.
enum SoakHostile: Int, CaseIterable {
  case hugePNG, longPNG, hugeGIF, hugeJPEG, hugeWebP, emptyPNG, page, noise

  var body: Data {
    switch self {
    case .hugePNG: Self.png(width: 60_000, height: 60_000)
    case .longPNG: Self.png(width: 100_000_000, height: 1)
    // Within the limits, so that memory is taken before it turns out that there are no pixels.
    case .emptyPNG: Self.png(width: 3_000, height: 3_000)
    case .hugeGIF:
      Data("GIF89a".utf8)
        + Data([0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
        + Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])
    case .hugeJPEG:
      Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0xFF, 0xDC, 0xFF, 0xDC, 1, 1, 0x11, 0])
        + Data(repeating: 0x5A, count: 2_000)
    case .hugeWebP:
      Data("RIFF".utf8) + Data([26, 0, 0, 0]) + Data("WEBPVP8L".utf8)
        + Data([14, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    case .page: Data("<!doctype html><title>Sign in</title><p>No image here.".utf8)
    case .noise: Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 3) })
    }
  }

  /// A PNG of that size whose compressed data is empty.
  private static func png(width: UInt32, height: UInt32) -> Data {
    let header = bytes(width) + bytes(height) + Data([8, 6, 0, 0, 0])
    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + chunk("IHDR", header)
      + chunk("IDAT", Data([0x78, 0x01, 0x01, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1])) + chunk("IEND", Data())
  }

  private static func chunk(_ name: String, _ data: Data) -> Data {
    let body = Data(name.utf8) + data
    return bytes(UInt32(data.count)) + body + bytes(checksum(body))
  }

  private static func bytes(_ number: UInt32) -> Data {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
  }

  /// CRC-32, as PNG wants it.
  private static func checksum(_ data: Data) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in data {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
