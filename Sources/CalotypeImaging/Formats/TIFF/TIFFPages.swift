/// The pages of a TIFF file: the first directory, and the number of those that follow it.
package struct TIFFPages: Sendable {
  let file: TIFFFile
  /// The first page.
  package let first: TIFFDirectory
  /// The positions of the directories in the chain.
  package let offsets: [Int]
  /// The number of directories in the chain.
  package var count: Int { offsets.count }
  /// A Boolean value that indicates whether the chain returns to a directory, or leads out of the file.
  package let isDamaged: Bool
  /// The number of smaller versions of the first page among its subordinate directories, without those that are outside
  /// of the file or the page itself.
  package let overviewCount: Int

  /// Reads the chain of directories.
  ///
  /// - Returns: `nil` if more bytes are needed, and may come.
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/corrupt(_:reason:offset:)``; ``ImagingError/limitExceeded(_:value:limit:)`` also for more than
  ///   ``DecodeLimits/maxPages`` directories.
  package init?(_ bytes: RawSpan, isWhole: Bool, limits: DecodeLimits) throws(ImagingError) {
    guard let file = try TIFFFile(bytes),
      let entries = TIFFEntries(bytes, at: file.firstOffset, in: file, isWhole: isWhole)
    else {
      if isWhole { throw .truncated(.tiff, byteCount: bytes.byteCount) }
      return nil
    }
    let directory = try TIFFDirectory(entries, bytes, in: file, isWhole: isWhole, limits: limits)
    guard let directory else { return nil }
    (self.file, first) = (file, directory)
    var offsets = [file.firstOffset]
    var seen: Set<Int> = [file.firstOffset]
    var next = entries.next
    var isBroken = false
    while next != 0 {
      guard seen.insert(next).inserted else {
        isBroken = true
        break
      }
      // Of the other pages only the place of the next one counts.
      guard let following = TIFFEntries.next(bytes, at: next, in: file, isWhole: isWhole) else {
        guard isWhole else { return nil }
        seen.remove(next)
        isBroken = true
        break
      }
      try limits.check(pageCount: seen.count)
      offsets.append(next)
      next = following
    }
    (self.offsets, isDamaged) = (offsets, isBroken)
    overviewCount = Set(directory.subDirectories).filter { !seen.contains($0) && $0 < bytes.byteCount }.count
  }
}
