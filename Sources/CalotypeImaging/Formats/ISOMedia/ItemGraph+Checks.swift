extension ItemGraph {
  /// The extent of the bytes at hand.
  package struct Available {
    /// The number of bytes at hand.
    package let byteCount: Int
    /// The length that the boxes claim for the file; `nil` if more bytes may come.
    package let claimedLength: Int?

    /// Creates an extent.
    package init(byteCount: Int, claimedLength: Int?) {
      (self.byteCount, self.claimedLength) = (byteCount, claimedLength)
    }
  }

  /// The kinds of auxiliary pictures and tracks that are alpha.
  static let alphaKinds: Set<String> = [
    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:vvc:2021:auxid:1",
  ]
  /// Returns whether an auxiliary picture is a gain map, of ISO 21496-1 or of the kinds that cameras and converters write.
  private static func isGainMap(_ kind: String) -> Bool {
    kind.hasSuffix(":aux:hdrgainmap") || kind == "urn:iso:std:iso:ts:21496:-1"
  }

  /// Follows the references from the primary item and checks them.
  ///
  /// - Returns: The graph; `nil` if the layout of a grid is not among the bytes at hand, and more may come.
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/unsupportedFormat(_:reason:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  package init?(
    _ table: ItemTable, _ bytes: RawSpan, available: Available, limits: DecodeLimits
  ) throws(ImagingError) {
    guard let id = table.primaryID, table.items[id] != nil else {
      throw table.corrupt("there is no primary item")
    }
    let reader = PictureReader(table: table, available: available, limits: limits)
    guard let primary = try reader.picture(id, bytes) else { return nil }
    try reader.checkEssentials(of: id)
    self.table = table
    self.primary = primary
    let auxiliaries = table.sources(of: "auxl", to: id)
    guard !auxiliaries.contains(id) else { throw table.corrupt("the item \(id) is auxiliary to itself") }
    let kinds = auxiliaries.map { (id: $0, kind: table.auxiliaryKind(of: $0)) }
    if let item = kinds.first(where: { Self.alphaKinds.contains($0.kind) }) {
      guard !table.targets(of: "auxl", from: id).contains(item.id) else {
        throw table.corrupt("the items \(id) and \(item.id) are auxiliary to each other")
      }
      guard let picture = try reader.picture(item.id, bytes) else { return nil }
      alpha = picture
    } else {
      alpha = try Self.alphaOfTiles(of: primary, table, reader, bytes)
    }
    isPremultiplied = alpha.map { table.targets(of: "prem", from: id).contains($0.id) } ?? false
    thumbnails = table.sources(of: "thmb", to: id).filter { $0 != id }
    let isBase = table.sources(of: "dimg", to: id).contains { table.items[$0]?.type == FourCC("tmap") }
    hasGainMap =
      isBase || table.items[id]?.type == FourCC("tmap")
      || kinds.contains { Self.isGainMap($0.kind) }
  }
}

extension ItemGraph {
  /// Returns the alpha of a grid whose tiles have alpha, each its own; `nil` unless all of them do.
  private static func alphaOfTiles(
    of picture: Picture, _ table: ItemTable, _ reader: PictureReader, _ bytes: RawSpan
  ) throws(ImagingError) -> Picture? {
    guard case .grid(let grid, let tiles) = picture.composition else { return nil }
    var alphaOfTile: [UInt32: UInt32] = [:]
    for reference in table.references where reference.type == FourCC("auxl") {
      guard alphaKinds.contains(table.auxiliaryKind(of: reference.from)) else { continue }
      for target in reference.to where alphaOfTile[target] == nil { alphaOfTile[target] = reference.from }
    }
    let alphas = tiles.compactMap { alphaOfTile[$0] }
    guard alphas.count == tiles.count, let first = tiles.first else { return nil }
    let size = try reader.size(of: first)
    var depth: Int?
    for id in Set(alphas).sorted() {
      guard let alpha = try reader.picture(id, bytes) else { return nil }
      guard alpha.size == size, case .coded = alpha.composition else {
        throw table.corrupt("the alpha item \(id) of a tile is not a picture of its size")
      }
      depth = alpha.bitDepth
    }
    return Picture(
      id: alphas[0], size: picture.size, composition: .grid(grid, tiles: alphas), bitDepth: depth)
  }
}

extension ItemTable {
  fileprivate func auxiliaryKind(of id: UInt32) -> String {
    for case .auxiliary(let kind) in items[id].map({ properties(of: $0) }) ?? [] { return kind }
    return ""
  }
}
