import FoundationEssentials

/// The segments of a JPEG that do not describe its coefficients: metadata, profiles, comments.
struct JPEGSegments {
  private let bytes: [UInt8]

  /// Reads the segments in front of the picture; `nil` if other pictures or bytes follow it, or if they are damaged.
  init?(_ jpeg: Data) {
    let file = [UInt8](jpeg)
    guard file.count > 4, file.starts(with: [0xFF, 0xD8]), file.suffix(2) == [0xFF, 0xD9] else { return nil }
    var found: [UInt8] = []
    var at = 2
    while at + 4 <= file.count, file[at] == 0xFF {
      let marker = file[at + 1]
      if marker == 0xFF {
        at += 1
        continue
      }
      // The first scan.
      if marker == 0xDA {
        bytes = found
        return
      }
      let end = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
      guard marker >= 0xC0, end >= at + 4, end <= file.count else { return nil }
      let name = file[(at + 4)..<min(end, at + 8)]
      // A list of the pictures that follow.
      if marker == 0xE2, name.elementsEqual(Array("MPF".utf8) + [0]) { return nil }
      // JFIF and Adobe's segment speak of the colours of the coefficients.
      let isMetadata = (0xE1...0xEF).contains(marker) && marker != 0xEE || marker == 0xFE
      if isMetadata { found += file[at..<end] }
      at = end
    }
    return nil
  }

  /// Returns a JPEG, which begins with a JFIF segment, with the segments behind that; `nil` without one.
  func inserted(into jpeg: Data) -> Data? {
    let head = [UInt8](jpeg.prefix(6))
    guard head.count == 6, head.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]) else { return nil }
    let end = 4 + Int(head[4]) << 8 + Int(head[5])
    guard end <= jpeg.count else { return nil }
    return jpeg.prefix(end) + bytes + jpeg.dropFirst(end)
  }
}
