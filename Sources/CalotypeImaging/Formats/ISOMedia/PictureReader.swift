/// A reader of single pictures of an ``ItemTable``: sizes, depths, layouts, and the place of their data.
struct PictureReader {
  let table: ItemTable
  let available: ItemGraph.Available
  let limits: DecodeLimits

  private static let derivations: Set<FourCC> = [
    FourCC("grid"), FourCC("iden"), FourCC("iovl"), FourCC("tmap"), FourCC("sato"),
  ]

  /// Reads a picture; `nil` if its layout is not among the bytes at hand, and more may come.
  func picture(_ id: UInt32, _ bytes: RawSpan) throws(ImagingError) -> ItemGraph.Picture? {
    let item = try item(id)
    let properties = table.properties(of: item)
    guard let type = item.type, Self.derivations.contains(type) else {
      let size = try size(of: id, properties)
      try check(size)
      try checkData(of: item)
      return ItemGraph.Picture(
        id: id, size: size, composition: .coded(id), bitDepth: Self.bitDepth(of: properties))
    }
    let inputs = table.targets(of: "dimg", from: id)
    guard !inputs.isEmpty else { throw table.corrupt("the \(type) item \(id) is derived from nothing") }
    // Checked once each: a grid may show a tile several times.
    for input in Set(inputs).sorted() {
      let source = try self.item(input)
      guard source.type.map({ !Self.derivations.contains($0) }) ?? true else {
        throw table.corrupt("the \(type) item \(id) is derived from the derived item \(input)")
      }
      try checkData(of: source)
    }
    let first = table.properties(of: try self.item(inputs[0]))
    let depth = Self.bitDepth(of: properties) ?? Self.bitDepth(of: first)
    let stated = Self.size(properties)
    if type != FourCC("grid") {
      // An identity without a size has that of its input.
      let isOfInput = stated == nil && type == FourCC("iden")
      let size = try isOfInput ? self.size(of: inputs[0], first) : self.size(of: id, properties)
      try check(size)
      return ItemGraph.Picture(
        id: id, size: size, composition: .derived(type, from: inputs), bitDepth: depth)
    }
    guard let data = try data(of: item, bytes) else { return nil }
    guard let grid = PictureGrid(data) else { throw table.corrupt("the grid item \(id) has no layout") }
    try check(grid.size)
    guard stated == nil || stated == grid.size else {
      throw table.corrupt(
        "the grid item \(id) is \(grid.size) pixels, its property says \(stated ?? grid.size)")
    }
    guard inputs.count == grid.tileCount else {
      throw table.corrupt("the grid item \(id) has \(inputs.count) tiles instead of \(grid.tileCount)")
    }
    let tile = try size(of: inputs[0], first)
    for input in Set(inputs).sorted() {
      guard try size(of: input, table.properties(of: try self.item(input))) == tile else {
        throw table.corrupt("the tiles of the grid item \(id) differ in size")
      }
    }
    guard grid.isCovered(by: tile) else {
      throw table.corrupt(
        "\(grid.columns)×\(grid.rows) tiles of \(tile) do not fit a picture of \(grid.size)")
    }
    return ItemGraph.Picture(
      id: id, size: grid.size, composition: .grid(grid, tiles: inputs), bitDepth: depth)
  }

  /// Refuses a picture with an essential property that is not known (ISO/IEC 23008-12, 9.3.1).
  func checkEssentials(of id: UInt32) throws(ImagingError) {
    for association in try item(id).properties where association.isEssential {
      if case .unknown(let type) = table.properties[association.index] {
        throw .unsupportedFormat(table.format, reason: "the picture requires the unknown property \(type)")
      }
    }
  }

  private func item(_ id: UInt32) throws(ImagingError) -> ItemTable.Item {
    guard let item = table.items[id] else { throw table.corrupt("there is no item \(id)") }
    return item
  }

  private func check(_ size: PixelSize) throws(ImagingError) {
    try limits.check(size: size, format: table.format)
  }

  /// Returns the size of an item before transformations.
  func size(of id: UInt32) throws(ImagingError) -> PixelSize {
    try size(of: id, table.properties(of: item(id)))
  }

  private func size(of id: UInt32, _ properties: [ItemProperty]) throws(ImagingError) -> PixelSize {
    guard let size = Self.size(properties) else { throw table.corrupt("the item \(id) has no size") }
    return size
  }

  private static func size(_ properties: [ItemProperty]) -> PixelSize? {
    for case .size(let width, let height) in properties {
      return PixelSize(width: Int(width), height: Int(height))
    }
    return nil
  }

  /// Returns the depth of the decoder, or the depth that the property of the channels claims.
  private static func bitDepth(of properties: [ItemProperty]) -> Int? {
    for case .codec(let codec) in properties {
      if let depth = codec.bitDepth { return depth }
    }
    for case .depths(let depths) in properties {
      if let depth = depths.first, (1...32).contains(depth) { return Int(depth) }
    }
    return nil
  }

  // MARK: Data

  /// Refuses an item whose data are missing or outside of the file.
  private func checkData(of item: ItemTable.Item) throws(ImagingError) {
    _ = try ranges(of: item)
  }

  /// Returns the ranges of the file that hold the data of an item.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)`` for data that are nowhere, or outside of the file;
  ///   ``ImagingError/unsupportedFormat(_:reason:)`` for data inside other items or files.
  func ranges(of item: ItemTable.Item) throws(ImagingError) -> [Range<Int>] {
    guard let location = item.location, !location.extents.isEmpty else {
      throw table.corrupt("the item \(item.id) has no data")
    }
    let space: Range<Int>
    switch location.origin {
    case .file: space = 0..<(available.claimedLength ?? .max)
    case .itemData:
      guard let data = table.itemData else {
        throw table.corrupt("the item \(item.id) is in a missing box idat")
      }
      space = data
    case .elsewhere:
      throw .unsupportedFormat(
        table.format, reason: "the data of the item \(item.id) are in another item or file")
    }
    var ranges: [Range<Int>] = []
    for extent in location.extents {
      let (start, overflow) = space.lowerBound.addingReportingOverflow(Int(clamping: extent.offset))
      let (end, overflow2) = start.addingReportingOverflow(Int(clamping: extent.length))
      guard !overflow, !overflow2, start < space.upperBound, end <= space.upperBound else {
        throw table.corrupt(
          "the data of the item \(item.id) are outside of the file", at: Int(clamping: extent.offset))
      }
      ranges.append(start..<(extent.length == 0 ? space.upperBound : end))
    }
    return ranges
  }

  /// Calls `body` with the data of an item, joined if they are in several extents.
  ///
  /// - Throws: The errors of ``ranges(of:)``; ``ImagingError/truncated(_:byteCount:)`` for data beyond the bytes at hand.
  func withData<Result>(
    of item: ItemTable.Item, in bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    let ranges = try ranges(of: item)
    for range in ranges where range.upperBound > bytes.count {
      throw .truncated(table.format, byteCount: bytes.count)
    }
    guard ranges.count != 1 else { return try body(UnsafeRawBufferPointer(rebasing: bytes[ranges[0]])) }
    // Extents may overlap: together they are no longer than the file, or it is an attempt to use up memory.
    guard ranges.reduce(0, { $0 + $1.count }) <= bytes.count else {
      throw table.corrupt("the extents of the item \(item.id) are longer than the file")
    }
    var joined: [UInt8] = []
    joined.reserveCapacity(ranges.reduce(0) { $0 + $1.count })
    for range in ranges { joined.append(contentsOf: bytes[range]) }
    return try joined.span.bytes.withUnsafeBytes { (unit) throws(ImagingError) in try body(unit) }
  }

  /// Returns the layout of a grid; `nil` if it is not among the bytes at hand, and more may come.
  private func data(of item: ItemTable.Item, _ bytes: RawSpan) throws(ImagingError) -> [UInt8]? {
    var data: [UInt8] = []
    for range in try ranges(of: item) {
      let length = min(range.count, PictureGrid.longLength - data.count)
      guard length > 0 else { break }
      for offset in range.lowerBound..<range.lowerBound + length {
        guard let byte = bytes.byte(at: offset) else {
          if available.claimedLength == nil { return nil }
          throw .truncated(table.format, byteCount: bytes.byteCount)
        }
        data.append(byte)
      }
    }
    return data
  }
}

extension ItemGraph {
  /// Returns the bytes that a decoder of HEVC takes at its peak beside the rows that it delivers: for one tile, or the
  /// whole picture, its planes, a copy of luma, and its state; alpha. `band` are those of the planes of a row of tiles.
  func decodingByteCounts(_ info: ImageInfo) -> (tile: Int, band: Int) {
    let sample = info.bitDepth > 8 ? 2.0 : 1.0
    let colors = info.layout.samplesPerPixel - (info.hasAlpha ? 1 : 0)
    func pixels(_ size: PixelSize) -> Double { Double(size.width) * Double(size.height) }
    var (tile, band) = (primary.size, 0.0)
    if case .grid(_, let tiles) = primary.composition, let first = tiles.first, let item = table.items[first]
    {
      for case .size(let width, let height) in table.properties(of: item) {
        tile = PixelSize(width: Int(width), height: Int(height))
        band = colors * sample * Double(primary.size.width) * Double(height)
      }
    }
    let decoding = pixels(tile) * ((colors + 1) * sample + 0.6)
    let alpha = alpha == nil ? 0 : sample * pixels(primary.size)
    return (Int(min(decoding + alpha, 0x1p62)), Int(min(band, 0x1p62)))
  }

  /// Returns a reader of the pictures of a file that is at hand.
  func reader(of bytes: UnsafeRawBufferPointer, limits: DecodeLimits) -> PictureReader {
    PictureReader(
      table: table, available: Available(byteCount: bytes.count, claimedLength: bytes.count), limits: limits)
  }
}
