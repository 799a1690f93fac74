/// One pixel, and what both directions of the format agree on.
struct QOIPixel: Equatable {
  var red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

  /// The pixel before the first one.
  static let start = QOIPixel(red: 0, green: 0, blue: 0, alpha: 255)
  /// The initial content of the index.
  static let zero = QOIPixel(red: 0, green: 0, blue: 0, alpha: 0)

  /// Its place in the index of 64 pixels seen before.
  var place: Int {
    (Int(red) * 3 + Int(green) * 5 + Int(blue) * 7 + Int(alpha) * 11) & 63
  }
}

/// The first byte of a chunk: two bits, or all eight.
enum QOITag {
  static let index: UInt8 = 0x00
  static let difference: UInt8 = 0x40
  static let luma: UInt8 = 0x80
  static let run: UInt8 = 0xC0
  static let rgb: UInt8 = 0xFE
  static let rgba: UInt8 = 0xFF

  /// The end marker of every file.
  static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]
}
