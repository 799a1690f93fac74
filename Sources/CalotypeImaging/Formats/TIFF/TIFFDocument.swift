import FoundationEssentials

/// A TIFF file, and one of its pages.
package struct TIFFDocument: Sendable {
  let file: TIFFFile
  /// All pages.
  package let pages: TIFFPages
  /// The index of the page.
  let index: Int
  /// The directory of the page.
  let page: TIFFDirectory

  /// Reads the directories.
  ///
  /// - Returns: `nil` if more bytes are needed, and may come.
  /// - Throws: The errors of ``TIFFPages``; ``ImagingError/invalidParameter(name:reason:)`` if there is no such page.
  package init?(
    _ bytes: RawSpan, page index: Int = 0, isWhole: Bool = true, limits: DecodeLimits
  ) throws(ImagingError) {
    guard let pages = try TIFFPages(bytes, isWhole: isWhole, limits: limits) else { return nil }
    (self.pages, self.index, file) = (pages, index, pages.file)
    guard index != 0 else {
      page = pages.first
      return
    }
    guard pages.offsets.indices.contains(index) else {
      throw .invalidParameter(
        name: "page", reason: "there is no page \(index); the first of \(pages.count) is 0")
    }
    guard let directory = try Self.directory(at: pages.offsets[index], bytes, in: file, isWhole, limits)
    else {
      if isWhole { throw .truncated(.tiff, byteCount: bytes.byteCount) }
      return nil
    }
    page = directory
  }

  private static func directory(
    at offset: Int, _ bytes: RawSpan, in file: TIFFFile, _ isWhole: Bool, _ limits: DecodeLimits
  ) throws(ImagingError) -> TIFFDirectory? {
    guard let entries = TIFFEntries(bytes, at: offset, in: file, isWhole: isWhole) else { return nil }
    return try TIFFDirectory(entries, bytes, in: file, isWhole: isWhole, limits: limits)
  }

  /// Returns the description of the page.
  package func info(_ bytes: RawSpan, limits: DecodeLimits) -> ImageInfo {
    let profile = data(page.profile, bytes, limits: limits)
    var info = ImageInfo(
      format: .tiff, size: page.size, hasAlpha: page.hasAlpha, bitDepth: page.bitsPerSample,
      orientation: page.orientation, colorProfile: profile.flatMap { ICCProfile.description(of: $0) },
      pageCount: pages.count, isDamaged: pages.isDamaged)
    guard let picture = try? TIFFPicture(page, bytes, in: file) else { return info }
    info.layout.isKnown = true
    info.layout.inflatedByteCount = picture.bandByteCount
    info.layout.hasProfile = picture.usableProfile(profile) != nil
    return info
  }

  /// Returns the bytes of a range, unless it is too long or outside of the file.
  func data(_ range: Range<Int>?, _ bytes: RawSpan, limits: DecodeLimits) -> Data? {
    guard let range, range.count <= limits.maxChunkBytes, range.upperBound <= bytes.byteCount else {
      return nil
    }
    return bytes.extracting(range).copy()
  }

  /// Returns the smaller versions of the page that are at least `minimumSize`, the smallest first, and then the page.
  ///
  /// - Throws: The errors of ``TIFFPicture`` for the page; versions that cannot be decoded are left out.
  func pictures(
    _ bytes: RawSpan, minimumSize: PixelSize?, limits: DecodeLimits
  ) throws(ImagingError) -> [TIFFPicture] {
    let whole = try TIFFPicture(page, bytes, in: file)
    guard let minimumSize else { return [whole] }
    var versions: [TIFFPicture] = []
    for offset in versionOffsets(bytes) {
      let directory: TIFFDirectory? = try? Self.directory(at: offset, bytes, in: file, true, limits)
      guard let directory, directory.isReduced(from: page, bytes, in: file),
        directory.size.width >= minimumSize.width, directory.size.height >= minimumSize.height,
        let version = try? TIFFPicture(directory, bytes, in: file),
        version.pixels.colorCount == whole.pixels.colorCount,
        version.pixels.isIndexed == whole.pixels.isIndexed,
        (version.pixels.alpha == nil) == (whole.pixels.alpha == nil)
      else { continue }
      versions.append(version)
    }
    versions.sort { $0.directory.size.pixelCount < $1.directory.size.pixelCount }
    return versions + [whole]
  }

  /// The largest number of smaller versions to look at.
  private static let maxVersionCount = 64

  /// Returns the places of directories that may be smaller versions of the page: its subordinate ones, and those that
  /// follow it in the chain until another page begins.
  private func versionOffsets(_ bytes: RawSpan) -> [Int] {
    var offsets = page.subDirectories
    for offset in pages.offsets.dropFirst(index + 1) {
      guard let entries = TIFFEntries(bytes, at: offset, in: file, isWhole: true),
        TIFFDirectory.isReduced(entries, bytes, in: file)
      else { break }
      offsets.append(offset)
    }
    return Array(offsets.prefix(Self.maxVersionCount))
  }
}
