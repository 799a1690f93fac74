#if HEIF
import CPixels

/// A reader of the coded pictures of a HEIF file.
final class HEIFPictureReader {
  let graph: ItemGraph
  let bytes: UnsafeRawBufferPointer
  let limits: DecodeLimits
  let watch: DecodeLimits.DeadlineChecker

  private let reader: PictureReader
  /// The configuration that was read last: the tiles of a grid share one.
  private var last: (content: Range<Int>, configuration: HEVCConfiguration)?

  /// The largest number of coded pixels on a side beyond those of the picture. Blocks have up to 64.
  private static let maxPadding = 64

  init(
    _ graph: ItemGraph, _ bytes: UnsafeRawBufferPointer, limits: DecodeLimits,
    watch: DecodeLimits.DeadlineChecker
  ) {
    (self.graph, self.bytes, self.limits, self.watch) = (graph, bytes, limits, watch)
    reader = graph.reader(of: bytes, limits: limits)
  }

  /// Returns the size of an item before transformations.
  func size(of id: UInt32) throws(ImagingError) -> PixelSize { try reader.size(of: id) }

  /// Returns an item as a picture, after its checks; `nil` if it is not sound.
  func picture(_ id: UInt32) -> ItemGraph.Picture? { try? reader.picture(id, bytes.bytes) }

  /// Decodes a coded item.
  ///
  /// - Throws: ``ImagingError/corrupt(_:reason:offset:)``, also for parameters of another size or depth than the file
  ///   states; ``ImagingError/unsupportedFormat(_:reason:)`` for items that are no HEVC.
  func item(_ id: UInt32) throws(ImagingError) -> CodedPicture {
    try watch.check()
    guard let item = graph.table.items[id] else {
      throw .corrupt(.heif, reason: "there is no item \(id)", offset: nil)
    }
    guard item.type == FourCC("hvc1") else {
      throw .unsupportedFormat(
        .heif, reason: "the picture is coded as \(item.type.map(\.description) ?? "an item without a type")")
    }
    let stated = try size(of: id)
    try limits.check(size: stated, format: .heif)
    let (configuration, depth) = try configuration(of: item)
    let (bytes, limits, watch) = (bytes, limits, watch)
    return try reader.withData(of: item, in: bytes) { (data) throws(ImagingError) in
      let unit = try HEVCAccessUnit(data.bytes, configuration)
      let sequence = unit.parameters.sequence
      guard sequence.size == stated, sequence.depth == depth,
        sequence.codedSize.width <= stated.width + Self.maxPadding,
        sequence.codedSize.height <= stated.height + Self.maxPadding
      else {
        throw .corrupt(
          .heif,
          reason: "the HEVC picture is of \(sequence.size) pixels and \(sequence.depth) bits, not \(stated) "
            + "and \(depth), as the file says", offset: nil)
      }
      let picture = try HEVCPicture(unit, of: data, in: bytes, limits: limits, watch: watch)
      let colors = sequence.colors
      return CodedPicture(
        planes: PicturePlanes(picture.planes, owner: picture),
        colors: cpx_code_points(
          primaries: colors.primaries, transfer: colors.transfer, matrix: colors.matrix,
          is_full_range: colors.isFullRange),
        maxLight: nil)
    }
  }

  private func configuration(
    of item: ItemTable.Item
  ) throws(ImagingError) -> (HEVCConfiguration, depth: Int) {
    for case .codec(let codec) in graph.table.properties(of: item) where codec.type == FourCC("hvcC") {
      let depth = codec.bitDepth ?? 8
      if let last, last.content == codec.content { return (last.configuration, depth) }
      let configuration = try HEVCConfiguration(codec.content, of: bytes.bytes)
      last = (codec.content, configuration)
      return (configuration, depth)
    }
    throw .corrupt(.heif, reason: "the item \(item.id) has no configuration of HEVC", offset: nil)
  }

  /// Decodes luma of a whole picture, such as alpha. Its range is the full one, whatever the coded data state: alpha has
  /// no other.
  func luma(of picture: ItemGraph.Picture) throws(ImagingError) -> PicturePlanes {
    switch try HEIFTiles(picture, self) {
    case .one(let id): return try item(id).planes.luma
    case .grid(let grid, let tiles, let size):
      var canvas: PicturePlanes?
      for (index, id) in tiles.enumerated() {
        let tile = try item(id).planes.luma
        if canvas == nil { canvas = try PicturePlanes.canvas(grid.size, like: tile) }
        let (row, column) = (index / grid.columns, index % grid.columns)
        try canvas?.place(tile, x: column * size.width, y: row * size.height, format: .heif)
      }
      guard let canvas else { throw .corrupt(.heif, reason: "the grid has no tiles", offset: nil) }
      return canvas
    }
  }
}

/// The coded items that a picture is made of.
enum HEIFTiles {
  case one(UInt32)
  /// Tiles of a size, row by row.
  case grid(PictureGrid, tiles: [UInt32], size: PixelSize)

  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` for pictures that are derived in other ways.
  init(_ picture: ItemGraph.Picture, _ reader: HEIFPictureReader) throws(ImagingError) {
    switch picture.composition {
    case .coded(let id): self = .one(id)
    // An identity, or the base of a picture with a gain map, which is not applied.
    case .derived("iden", let inputs) where inputs.count == 1: self = .one(inputs[0])
    case .derived("tmap", let inputs) where !inputs.isEmpty: self = .one(inputs[0])
    case .derived(let type, _):
      throw .unsupportedFormat(.heif, reason: "the picture is derived in a way that is not known (\(type))")
    case .grid(let grid, let tiles):
      guard let first = tiles.first else {
        throw .corrupt(.heif, reason: "the grid has no tiles", offset: nil)
      }
      self = .grid(grid, tiles: tiles, size: try reader.size(of: first))
    }
  }
}
#endif
