/// The entries of one directory (TIFF 6.0, section 2) with known tags, and the position of the next directory.
struct TIFFEntries: Hashable, Sendable {
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
    guard let (start, count) = Self.extent(bytes, at: offset, in: file) else { return nil }
    let stride = Self.stride(in: file)
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
    guard let following = Self.next(bytes, at: offset, in: file, isWhole: isWhole) else { return nil }
    next = following
  }

  /// Returns the position of the directory behind another one, 0 for none; `nil` if the latter reaches beyond the bytes.
  static func next(_ bytes: RawSpan, at offset: Int, in file: TIFFFile, isWhole: Bool) -> Int? {
    guard let (start, count) = extent(bytes, at: offset, in: file) else { return nil }
    // Some writers leave out the last zero.
    return file.number(bytes, at: start + count * stride(in: file)) ?? (isWhole ? 0 : nil)
  }

  private static func stride(in file: TIFFFile) -> Int { file.isBig ? 20 : 12 }

  /// Returns the position of the first entry, and the number of entries; `nil` if they reach beyond the bytes.
  private static func extent(_ bytes: RawSpan, at offset: Int, in file: TIFFFile) -> (start: Int, count: Int)?
  {
    let number =
      file.isBig
      ? file.number(bytes, at: offset)
      : bytes.uint16(at: offset, bigEndian: file.isBigEndian).map { Int($0) }
    // There are as many tags as classic files can have, in BigTIFF too.
    guard let number, number <= Int(UInt16.max) else { return nil }
    // The number is within the bytes, so that this is no more than their length.
    let start = offset + (file.isBig ? 8 : 2)
    guard number <= (bytes.byteCount - start) / stride(in: file) else { return nil }
    return (start, number)
  }
}
