extension TIFFDirectory {
  /// Returns true if the entries say that they describe a smaller version of another picture, and no mask.
  static func isReduced(_ entries: TIFFEntries, _ bytes: RawSpan, in file: TIFFFile) -> Bool {
    if let type = entries[.subfileType]?.integer(bytes, in: file) { return type & 5 == 1 }
    return entries[.oldSubfileType]?.integer(bytes, in: file) == 2
  }

  /// Returns true if this is a smaller version of a page: less wide and high, and of the same aspect ratio within 1 % or a
  /// pixel.
  func isReduced(from page: TIFFDirectory, _ bytes: RawSpan, in file: TIFFFile) -> Bool {
    guard Self.isReduced(entries, bytes, in: file), orientation == page.orientation,
      size.width < page.size.width, size.height < page.size.height
    else { return false }
    let width = Double(page.size.width) * Double(size.height) / Double(page.size.height)
    let height = Double(page.size.height) * Double(size.width) / Double(page.size.width)
    let isAsWide = abs(width - Double(size.width)) <= max(1, width / 100)
    let isAsHigh = abs(height - Double(size.height)) <= max(1, height / 100)
    return isAsWide || isAsHigh
  }
}
