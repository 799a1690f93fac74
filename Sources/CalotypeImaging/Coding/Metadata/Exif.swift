package import FoundationEssentials

/// A reader of the Exif orientation, the only tag that changes the appearance of a picture.
///
/// Exif (CIPA DC-008) is a TIFF file without pixels: a header of 8 bytes, then directories of 12-byte entries.
/// Only directory 0 is read and no link is followed, so that no input can make the reader loop.
package enum Exif {
  private static let orientationTag: UInt16 = 0x0112

  /// Returns the orientation in a block of Exif bytes, with or without the leading `Exif\0\0` of JPEG's APP1.
  ///
  /// A tag with a value out of range counts as the stored orientation. `nil` if there is no such tag, or no readable
  /// Exif.
  package static func orientation(in data: Data) -> Orientation? {
    orientation(in: data.bytes)
  }

  /// Returns the orientation in a block of Exif bytes within a larger buffer.
  static func orientation(in block: RawSpan) -> Orientation? {
    let tiff = block.holds("Exif\0\0") ? block.extracting(droppingFirst: 6) : block
    let bigEndian: Bool
    if tiff.holds("MM") {
      bigEndian = true
    } else if tiff.holds("II") {
      bigEndian = false
    } else {
      return nil
    }
    guard tiff.uint16(at: 2, bigEndian: bigEndian) == 42,
      let directory = tiff.uint32(at: 4, bigEndian: bigEndian).map({ Int($0) }), directory >= 8,
      let count = tiff.uint16(at: directory, bigEndian: bigEndian)
    else { return nil }
    for index in 0..<Int(count) {
      let entry = directory + 2 + 12 * index
      guard let tag = tiff.uint16(at: entry, bigEndian: bigEndian) else { return nil }
      guard tag == orientationTag else { continue }
      return value(of: tiff, entry: entry, bigEndian: bigEndian).map { Orientation(rawValue: $0) ?? .topLeft }
    }
    return nil
  }

  /// Returns the first element of an entry whose value lies in the entry itself: BYTE, SHORT or LONG.
  private static func value(of tiff: RawSpan, entry: Int, bigEndian: Bool) -> Int? {
    guard let count = tiff.uint32(at: entry + 4, bigEndian: bigEndian), count > 0 else { return nil }
    switch tiff.uint16(at: entry + 2, bigEndian: bigEndian) {
    case 1: return tiff.byte(at: entry + 8).map { Int($0) }
    // SHORT is the rule; some writers use LONG or BYTE, and readers accept them.
    case 3: return tiff.uint16(at: entry + 8, bigEndian: bigEndian).map { Int($0) }
    case 4: return tiff.uint32(at: entry + 8, bigEndian: bigEndian).map { Int($0) }
    default: return nil
    }
  }
}
