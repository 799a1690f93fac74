extension TIFFDirectory {
  /// The largest number of pixels in a tile.
  private static let maxTilePixels = 4096 * 4096
  /// The largest number of values to read of lists.
  private static let maxExtraSamples = 64
  private static let maxSamples = 65_535

  /// Reads a directory and checks its numbers.
  ///
  /// - Returns: `nil` if values are beyond the bytes at hand, and more may come.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/truncated(_:byteCount:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  init?(
    _ entries: TIFFEntries, _ bytes: RawSpan, in file: TIFFFile, isWhole: Bool, limits: DecodeLimits
  ) throws(ImagingError) {
    var reader = ValueReader(entries: entries, file: file, isWhole: isWhole)
    self.entries = entries
    guard let width = try reader.required(.width, bytes), let height = try reader.required(.height, bytes)
    else {
      return nil
    }
    size = PixelSize(width: width, height: height)
    try limits.check(size: size, format: .tiff)
    bitsPerSample = try reader.value(.bitsPerSample, bytes) ?? 1
    samplesPerPixel = try reader.value(.samplesPerPixel, bytes) ?? 1
    let isPlanar = try reader.value(.planarConfiguration, bytes) == 2
    orientation = (try reader.value(.orientation, bytes)).flatMap(Orientation.init(rawValue:)) ?? .topLeft
    extraSamples = try reader.values(.extraSamples, bytes, limit: Self.maxExtraSamples)
    let maxPages = max(0, min(limits.maxPages, Self.maxSamples))
    subDirectories = try reader.values(.subDirectories, bytes, limit: maxPages + 1)
    try limits.check(pageCount: subDirectories.count)
    profile = try reader.range(of: .profile, bytes)
    let tile = (width: try reader.value(.tileWidth, bytes), height: try reader.value(.tileHeight, bytes))
    let rows = try reader.value(.rowsPerStrip, bytes)
    // Before conclusions from values that are not there yet.
    if reader.needsMore { return nil }
    guard (1...64).contains(bitsPerSample) else {
      throw reader.corrupt("there are \(bitsPerSample) bits per sample")
    }
    guard (1...Self.maxSamples).contains(samplesPerPixel) else {
      throw reader.corrupt("there are \(samplesPerPixel) samples per pixel")
    }
    layout = try Self.layout(of: size, tile: tile, rows: rows) { reason in reader.corrupt(reason) }
    let pieces = Self.pieceCount(of: size, layout, planes: isPlanar ? samplesPerPixel : 1)
    guard let pieces else { throw reader.corrupt("there are too many strips or tiles") }
    pieceCount = pieces
    let isTiled = if case .tiles = layout { true } else { false }
    try reader.checkList(isTiled ? .tileOffsets : .stripOffsets, bytes, count: pieces)
    try reader.checkList(isTiled ? .tileByteCounts : .stripByteCounts, bytes, count: pieces)
    if reader.needsMore { return nil }
  }

  private static func layout(
    of size: PixelSize, tile: (width: Int?, height: Int?), rows: Int?, corrupt: (String) -> ImagingError
  ) throws(ImagingError) -> Layout {
    guard let width = tile.width else {
      let rows = rows ?? size.height
      guard rows > 0 else { throw corrupt("a strip has no rows") }
      return .strips(rows: min(rows, size.height))
    }
    let tile = PixelSize(width: width, height: tile.height ?? 0)
    guard tile.width > 0, tile.height > 0 else { throw corrupt("a tile is \(tile) pixels") }
    guard tile.pixelCount <= maxTilePixels else {
      throw .limitExceeded(.pixels, value: tile.pixelCount, limit: maxTilePixels)
    }
    return .tiles(tile)
  }

  private static func pieceCount(of size: PixelSize, _ layout: Layout, planes: Int) -> Int? {
    func pieces(_ side: Int, _ length: Int) -> Int { side / length + (side % length > 0 ? 1 : 0) }
    let count =
      switch layout {
      case .strips(let rows): pieces(size.height, rows)
      case .tiles(let tile):
        PixelSize(
          width: pieces(size.width, tile.width), height: pieces(size.height, tile.height)
        ).pixelCount
      }
    let (product, overflow) = count.multipliedReportingOverflow(by: planes)
    return overflow ? nil : product
  }
}

/// A reader of values that remembers whether any was beyond the bytes at hand.
private struct ValueReader {
  let entries: TIFFEntries
  let file: TIFFFile
  let isWhole: Bool
  /// A Boolean value that indicates whether values are beyond the bytes at hand, and more may come.
  private(set) var needsMore = false

  init(entries: TIFFEntries, file: TIFFFile, isWhole: Bool) {
    (self.entries, self.file, self.isWhole) = (entries, file, isWhole)
  }

  func corrupt(_ reason: String) -> ImagingError {
    .corrupt(.tiff, reason: reason, offset: entries.offset)
  }

  /// Returns the range of the values of an entry; `nil` if they are beyond the bytes.
  private mutating func place(_ entry: TIFFEntry, _ bytes: RawSpan) -> Range<Int>? {
    guard let range = entry.range else { return nil }
    guard range.upperBound <= bytes.byteCount else {
      if !isWhole { needsMore = true }
      return nil
    }
    return range
  }

  /// Returns the first value of a tag; `nil` if it is missing or no number, or has a type that is not known (TIFF 6.0,
  /// section 2: readers skip such fields).
  mutating func value(_ tag: TIFFTag, _ bytes: RawSpan) throws(ImagingError) -> Int? {
    guard let entry = entries[tag], entry.count > 0, entry.range != nil else { return nil }
    guard place(entry, bytes) != nil else {
      if needsMore { return nil }
      throw corrupt("the values of tag \(tag.rawValue) are outside of the file")
    }
    return entry.integer(bytes, in: file)
  }

  /// Returns the first value of a tag; `nil` if more bytes are needed.
  mutating func required(_ tag: TIFFTag, _ bytes: RawSpan) throws(ImagingError) -> Int? {
    if let value = try value(tag, bytes) { return value }
    if needsMore { return nil }
    throw corrupt("the tag \(tag.rawValue) is missing")
  }

  /// Returns the first values of a tag.
  mutating func values(_ tag: TIFFTag, _ bytes: RawSpan, limit: Int) throws(ImagingError) -> [Int] {
    guard let entry = entries[tag], entry.count > 0 else { return [] }
    // Lists that describe more than the picture needs are no reason to refuse it.
    guard place(entry, bytes) != nil else { return [] }
    var values: [Int] = []
    for index in 0..<min(entry.count, limit) {
      guard let value = entry.integer(at: index, bytes, in: file) else { break }
      values.append(value)
    }
    return values
  }

  /// Returns the range of the values of a tag; `nil` if it is missing or outside of the file.
  mutating func range(of tag: TIFFTag, _ bytes: RawSpan) throws(ImagingError) -> Range<Int>? {
    guard let entry = entries[tag], entry.count > 0 else { return nil }
    return place(entry, bytes)
  }

  /// Checks a list of places or lengths, which has to have at least `count` values inside the file. Old JPEG has none.
  mutating func checkList(_ tag: TIFFTag, _ bytes: RawSpan, count: Int) throws(ImagingError) {
    guard let entry = entries[tag] else { return }
    guard entry.count >= count else {
      throw corrupt("the tag \(tag.rawValue) has \(entry.count) values instead of \(count)")
    }
    // Values behind those that are needed are not read, wherever they are.
    let needed = TIFFEntry(type: entry.type, count: count, offset: entry.offset)
    guard place(needed, bytes) == nil, !needsMore else { return }
    throw corrupt("the values of tag \(tag.rawValue) are outside of the file")
  }
}
