/// The directory of an icon or cursor.
struct ICODirectory: Sendable {
  /// ``ImageFormat/ico`` or ``ImageFormat/cur``.
  let format: ImageFormat
  /// The pictures whose headers can be read; at least one.
  let entries: [ICOEntry]
  /// A Boolean value that indicates whether the file ends before the directory or the header of a picture.
  let isTruncated: Bool
  /// The largest picture; of equals the deepest, of those the first.
  let largest: ICOEntry

  /// Bytes of the header, and of an entry.
  static let headerByteCount = 6, entryByteCount = 16
  /// The largest number of entries to read; icons have about ten. Later ones are ignored.
  static let maxEntries = 4096
  /// Bytes at the beginning of a picture that its header needs.
  static let pictureHeaderByteCount = 124

  /// Reads the directory and the headers of all pictures.
  ///
  /// - Complexity: O(number of entries).
  init(_ bytes: RawSpan) throws(ImagingError) {
    guard bytes.byteCount > 0 else { throw .emptyInput }
    guard let kind = bytes.uint16(at: 2, bigEndian: false), let count = bytes.uint16(at: 4, bigEndian: false)
    else { throw .truncated(.ico, byteCount: bytes.byteCount) }
    guard bytes.holds([0, 0]), kind == 1 || kind == 2 else { throw .unrecognizedFormat(hint: nil) }
    format = kind == 1 ? .ico : .cur
    let present = min(Int(count), (bytes.byteCount - Self.headerByteCount) / Self.entryByteCount)
    var entries: [ICOEntry] = []
    var isTruncated = present < Int(count)
    for index in 0..<min(present, Self.maxEntries) {
      let entry = Self.headerByteCount + index * Self.entryByteCount
      guard let length = bytes.uint32(at: entry + 8, bigEndian: false).map({ Int($0) }),
        let start = bytes.uint32(at: entry + 12, bigEndian: false).map({ Int($0) })
      else { break }
      let end = start + length
      let isCut = end > bytes.byteCount
      if start < bytes.byteCount,
        let picture = ICOEntry(
          bytes, range: start..<min(end, bytes.byteCount), isCut: isCut, format: format)
      {
        entries.append(picture)
      } else if isCut, bytes.byteCount - start < Self.pictureHeaderByteCount {
        isTruncated = true
      }
    }
    self.entries = entries
    self.isTruncated = isTruncated
    guard var largest = entries.first else {
      if isTruncated { throw .truncated(format, byteCount: bytes.byteCount) }
      throw .corrupt(format, reason: "none of its \(count) entries is a picture", offset: nil)
    }
    for entry in entries where largest.yields(to: entry) { largest = entry }
    self.largest = largest
  }

  /// Returns the smallest picture that is at least this large in both directions and has the proportions of the largest
  /// one; the largest for `nil`, and if there is none. Of equals the deepest, of those the first.
  func best(for minimumSize: PixelSize?) -> ICOEntry {
    guard let minimumSize else { return largest }
    var best = largest
    for entry in entries
    where entry.size.width >= minimumSize.width && entry.size.height >= minimumSize.height
      && entry.hasShape(of: largest)
    {
      let isSmaller = entry.size.pixelCount < best.size.pixelCount
      let isDeeper = entry.size == best.size && entry.bitsPerPixel > best.bitsPerPixel
      if isSmaller || isDeeper { best = entry }
    }
    return best
  }

  /// The description of the largest picture. Its pixels have alpha, by a mask if nothing else.
  var info: ImageInfo { ImageInfo(format: format, size: largest.size, hasAlpha: true) }
}
