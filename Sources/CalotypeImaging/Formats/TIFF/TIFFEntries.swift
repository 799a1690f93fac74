/// The entries of one directory (TIFF 6.0, section 2) with known tags, and the position of the next directory.
struct TIFFEntries: Sendable {
  /// The position of the directory.
  let offset: Int
  private(set) var entries: [TIFFTag: TIFFEntry] = [:]
  /// The position of the next directory; 0 for none.
  private(set) var next = 0

  subscript(_ tag: TIFFTag) -> TIFFEntry? { entries[tag] }

  /// Reads a directory; `nil` if it reaches beyond the bytes. The values are not read, and may be anywhere.
  ///
  /// - Parameters:
  ///   - bytes: The first bytes of the file.
  ///   - offset: The position of the directory.
  ///   - file: The header of the file.
  ///   - isWhole: Pass true if no more bytes follow.
  init?(_ bytes: RawSpan, at offset: Int, in file: TIFFFile, isWhole: Bool) {
    self.offset = offset
    let start: Int
    let count: Int
    if file.isBig {
      guard let number = file.number(bytes, at: offset) else { return nil }
      (start, count) = (offset + 8, number)
    } else {
      guard let number = bytes.uint16(at: offset, bigEndian: file.isBigEndian) else { return nil }
      (start, count) = (offset + 2, Int(number))
    }
    let stride = file.isBig ? 20 : 12
    guard count <= (bytes.byteCount - start) / stride else { return nil }
    for position in Swift.stride(from: start, to: start + count * stride, by: stride) {
      guard let code = bytes.uint16(at: position, bigEndian: file.isBigEndian),
        let type = bytes.uint16(at: position + 2, bigEndian: file.isBigEndian),
        let count = file.number(bytes, at: position + 4)
      else { return nil }
      // The first entry of a tag counts.
      guard let tag = TIFFTag(rawValue: code), entries[tag] == nil else { continue }
      let inline = position + (file.isBig ? 12 : 8)
      let (length, overflow) = count.multipliedReportingOverflow(by: TIFFEntry.valueLength(of: type) ?? 1)
      if !overflow, length <= (file.isBig ? 8 : 4) {
        entries[tag] = TIFFEntry(type: type, count: count, offset: inline)
      } else {
        guard let place = file.number(bytes, at: inline) else { return nil }
        entries[tag] = TIFFEntry(type: type, count: count, offset: place)
      }
    }
    guard let following = file.number(bytes, at: start + count * stride) else {
      // Some writers leave out the last zero.
      if isWhole { return }
      return nil
    }
    next = following
  }
}
