import FoundationEssentials

/// Builds bitmaps byte by byte, sound and unsound ones.
struct BMPBuilder {
  var width: Int
  var height: Int
  var bits: Int
  var compression = 0
  var headerByteCount = 40
  /// Red, green, blue and alpha.
  var masks: [UInt32] = []
  /// Red, green and blue of each colour.
  var palette: [[UInt8]] = []
  var colorsUsed: Int?
  /// Bytes between the palette and the pixels.
  var gap = 0
  var pixels: [UInt8] = []
  var pixelStart: Int?
  /// Bytes behind the pixels, which the header takes for a profile.
  var profile: [UInt8] = []
  var profileType = "MBED"

  /// Without `BM` and the fourteen bytes of the file, as in an icon.
  var picture: [UInt8] {
    var header: [UInt8] = []
    append(headerByteCount, 4, to: &header)
    if headerByteCount == 12 {
      for value in [width, height, 1, bits] { append(value, 2, to: &header) }
    } else {
      append(width, 4, to: &header)
      append(height, 4, to: &header)
      append(1, 2, to: &header)
      append(bits, 2, to: &header)
      for value in [compression, 0, 2835, 2835, colorsUsed ?? palette.count, 0] {
        append(value, 4, to: &header)
      }
      for mask in masks { append(Int(mask), 4, to: &header) }
    }
    let outside = headerByteCount == 40 ? 4 * masks.count : 0
    header = Array(header.prefix(headerByteCount + outside))
    header += [UInt8](repeating: 0, count: headerByteCount + outside - header.count)
    if !profile.isEmpty {
      header.replaceSubrange(56..<60, with: profileType.utf8.reversed())
      var place: [UInt8] = []
      append(header.count + paletteBytes.count + gap + pixels.count, 4, to: &place)
      append(profile.count, 4, to: &place)
      header.replaceSubrange(112..<120, with: place)
    }
    return header + paletteBytes + [UInt8](repeating: 0xEE, count: gap) + pixels + profile
  }

  var data: Data {
    let picture = picture
    var file = Array("BM".utf8)
    append(14 + picture.count, 4, to: &file)
    append(0, 4, to: &file)
    append(pixelStart ?? 14 + picture.count - pixels.count - profile.count, 4, to: &file)
    return Data(file + picture)
  }

  private var paletteBytes: [UInt8] {
    palette.flatMap { [$0[2], $0[1], $0[0]] + (headerByteCount == 12 ? [] : [0]) }
  }

  private func append(_ value: Int, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}
