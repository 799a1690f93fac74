#if HEIF
import CPixels

/// The rows of a picture, whose tiles are decoded when their rows are needed: those of one row of tiles are in memory at
/// a time.
final class HEIFRows: PictureRows {
  let size: PixelSize
  let format: PixelFormat
  let profile: ColorProfile?

  private let reader: HEIFPictureReader
  private let tiles: HEIFTiles
  /// The part of the picture to show.
  private let part: PixelRectangle
  /// The divisor of sides. If it is not 1, ``part`` begins at the origin, and there is no alpha.
  private let divisor: Int
  private let alpha: PicturePlanes?
  private let isPremultiplied: Bool
  private let points: cpx_code_points
  private let conversion: cpx_ycc
  private let level = cpx_best_level()

  /// The planes of a row of tiles.
  private struct Band {
    let index: Int
    let planes: PicturePlanes
  }
  private var band: Band

  /// Decodes the first row of tiles.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - alpha: The picture whose luma is its alpha.
  ///   - part: The part of it to show.
  ///   - colors: The properties that describe its colours.
  ///   - reader: The reader of the file.
  ///   - minimumSize: The size that suffices; `nil` for the whole.
  ///   - options: The options of the decode.
  init(
    _ picture: ItemGraph.Picture, alpha: ItemGraph.Picture?, part: PixelRectangle, colors: [ItemProperty],
    _ reader: HEIFPictureReader, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) {
    (self.reader, self.part) = (reader, part)
    let tiles = try HEIFTiles(picture, reader)
    self.tiles = tiles
    if let alpha {
      guard alpha.size == picture.size else {
        throw .unsupportedFormat(.heif, reason: "alpha has another size than the colours")
      }
      self.alpha = try reader.luma(of: alpha)
    } else {
      self.alpha = nil
    }
    isPremultiplied = alpha != nil && reader.graph.isPremultiplied
    // Colours of transparent pixels would come into the mean.
    let divides = alpha == nil && part.x == 0 && part.y == 0
    let divisor = divides ? tiles.divisor(for: part.size, minimumSize: minimumSize) : 1
    self.divisor = divisor
    size = PixelSize(
      width: (part.size.width + divisor - 1) / divisor, height: (part.size.height + divisor - 1) / divisor)
    let first = try Self.band(0, of: tiles, extent: part.extent, divisor: divisor, reader, reusing: nil)
    band = Band(index: 0, planes: first.planes)
    let found = PictureColors(colors, first, reader.bytes, reader.limits)
    (points, profile) = (found.points, found.profile)
    let depth = first.planes.depth
    format = found.format(ofDepth: depth, options: options)
    var (conversion, points) = (cpx_ycc(), found.points)
    guard cpx_ycc_init(&conversion, &points, UInt32(depth), first.planes.raw.chroma) else {
      throw .unsupportedFormat(
        .heif, reason: "the matrix \(points.matrix) does not fit the planes, or is not known (ITU-T H.273)")
    }
    self.conversion = conversion
  }

  var isOpaque: Bool { alpha == nil }

  var isGray: Bool { band.planes.isMonochrome && alpha == nil }

  func convert(rows: Range<Int>, to target: UnsafeMutableRawPointer) throws(ImagingError) {
    let stride = size.width * format.bytesPerPixel
    let bandHeight = tiles.bandHeight(extent: part.extent) / divisor
    var row = rows.lowerBound
    while row < rows.upperBound {
      let source = row + part.y
      let index = tiles.isGrid ? source / bandHeight : 0
      try load(index)
      let first = source - index * bandHeight
      let count = min(rows.upperBound - row, band.planes.size.height - first)
      guard count > 0 else { throw .corrupt(.heif, reason: "the grid has too few rows", offset: nil) }
      convert(first: first, row: row, count: count, to: target + (row - rows.lowerBound) * stride)
      row += count
    }
  }

  /// Converts rows of the band; `row` is that of the result.
  private func convert(first: Int, row: Int, count: Int, to target: UnsafeMutableRawPointer) {
    let stride = size.width * format.bytesPerPixel
    var (conversion, color) = (conversion, band.planes.raw)
    var opacity = alpha?.raw ?? cpx_planes()
    withUnsafePointer(to: &color) { color in
      withUnsafePointer(to: &opacity) { opacity in
        var rows = cpx_ycc_rows(
          color: color, alpha: alpha == nil ? nil : opacity, left: UInt32(part.x), width: UInt32(size.width),
          row: UInt32(first), alpha_row: UInt32(row + part.y), count: UInt32(count),
          is_premultiplied: isPremultiplied)
        cpx_ycc_convert(
          &conversion, &rows, format == .rgba16 ? 16 : 8, target.assumingMemoryBound(to: UInt8.self), stride,
          level)
      }
    }
  }

  /// Decodes a row of tiles, unless it is there already.
  private func load(_ index: Int) throws(ImagingError) {
    guard band.index != index else { return }
    let next = try Self.band(
      index, of: tiles, extent: part.extent, divisor: divisor, reader, reusing: band.planes
    ).planes
    guard next.depth == band.planes.depth, next.raw.chroma == band.planes.raw.chroma else {
      throw .corrupt(.heif, reason: "the tiles of the grid differ in depth or chroma", offset: nil)
    }
    band = Band(index: index, planes: next)
  }

  /// Decodes a row of tiles, without what is outside of the extent of the part.
  private static func band(
    _ index: Int, of tiles: HEIFTiles, extent: PixelSize, divisor: Int, _ reader: HEIFPictureReader,
    reusing old: PicturePlanes?
  ) throws(ImagingError) -> CodedPicture {
    func tile(_ id: UInt32, extent: PixelSize) throws(ImagingError) -> CodedPicture {
      var tile = try reader.item(id)
      tile.planes = tile.planes.cropped(to: extent)
      if divisor > 1 { tile.planes = try tile.planes.shrunk(by: divisor) }
      return tile
    }
    guard case .grid(let grid, let ids, let size) = tiles else {
      guard case .one(let id) = tiles else { throw .emptyInput }
      return try tile(id, extent: extent)
    }
    let top = index * size.height
    let height = min(size.height, extent.height - top)
    guard index < grid.rows, height > 0 else {
      throw .corrupt(.heif, reason: "the grid has too few rows", offset: nil)
    }
    var joined: CodedPicture?
    for column in 0..<grid.columns where column * size.width < extent.width {
      let left = column * size.width
      let tile = try tile(
        ids[index * grid.columns + column], extent: PixelSize(width: extent.width - left, height: height))
      if left == 0, extent.width <= size.width { return tile }
      if joined == nil {
        let canvasSize = PixelSize(
          width: (extent.width + divisor - 1) / divisor, height: tile.planes.size.height)
        var canvas = old
        if old?.size != canvasSize { canvas = try PicturePlanes.canvas(canvasSize, like: tile.planes) }
        joined = canvas.map { CodedPicture(planes: $0, colors: tile.colors, maxLight: nil) }
      }
      try joined?.planes.place(tile.planes, x: left / divisor, y: 0, format: .heif)
    }
    guard let joined else { throw .corrupt(.heif, reason: "the grid has no tiles", offset: nil) }
    return joined
  }
}

extension HEIFTiles {
  var isGrid: Bool {
    if case .grid = self { true } else { false }
  }

  /// Returns the height of the rows of tiles.
  func bandHeight(extent: PixelSize) -> Int {
    if case .grid(_, _, let size) = self { size.height } else { extent.height }
  }

  /// Returns the largest divisor that leaves the minimum size, and divides tiles without a rest.
  func divisor(for size: PixelSize, minimumSize: PixelSize?) -> Int {
    var divisor = ScaleDivisor.largest(for: size, minimumSize: minimumSize)
    guard case .grid(_, _, let tile) = self else { return divisor }
    while divisor > 1, tile.width % divisor != 0 || tile.height % divisor != 0 { divisor /= 2 }
    return divisor
  }
}
#endif
