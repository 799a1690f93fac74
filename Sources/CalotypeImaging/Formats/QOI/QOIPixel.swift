/// A pixel of QOI: red, green, blue and alpha from the lowest byte on.
struct QOIPixel: Hashable, Sendable {
  var word: UInt32

  /// The pixel before the first one.
  static let start = QOIPixel(word: 0xFF00_0000)

  /// Its place in the index of 64 pixels that have been seen.
  @inline(__always)
  var place: Int {
    let (red, green, blue, alpha) = (word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24)
    return Int((red &* 3 &+ green &* 5 &+ blue &* 7 &+ alpha &* 11) & 63)
  }

  /// Returns the pixel with differences added to its colours, each modulo 256.
  @inline(__always)
  func adding(red: UInt32, green: UInt32, blue: UInt32) -> QOIPixel {
    QOIPixel(
      word: word & 0xFF00_0000 | (word &+ red) & 255 | ((word >> 8 &+ green) & 255) << 8
        | ((word >> 16 &+ blue) & 255) << 16)
  }
}

/// The first byte of a chunk: its upper two bits, or all eight.
enum QOITag {
  static let index: UInt8 = 0x00
  static let difference: UInt8 = 0x40
  static let luma: UInt8 = 0x80
  static let run: UInt8 = 0xC0
  static let rgb: UInt8 = 0xFE
  static let rgba: UInt8 = 0xFF
}
