#if AVIF
import CPixels

/// A reader of the pictures of an AVIF file: of its items, or of the first samples of its tracks.
struct AVIFPictureReader {
  let file: ISOMediaFile
  let bytes: UnsafeRawBufferPointer
  let limits: DecodeLimits
  let watch: DecodeLimits.DeadlineChecker

  /// Decodes the picture to show: colour, and alpha if there is one.
  ///
  /// - Parameters:
  ///   - divisor: The divisor for pictures without alpha: 1, 2, 4 or 8.
  ///   - options: The options of the decode.
  func pixels(divisor: Int, options: DecodeOptions) throws(ImagingError) -> AVIFPixels {
    try watch.check()
    var color = try shown()
    let alpha = try alpha()
    // Colours of transparent pixels would come into the mean.
    if divisor > 1, alpha == nil { color.planes = try color.planes.shrunk(by: divisor) }
    return try AVIFPixels(color, alpha: alpha, of: self, options: options)
  }

  private func shown() throws(ImagingError) -> CodedPicture {
    if let track = file.track {
      return try sample(0, of: track, by: AV1Decoder(size: track.size, limits: limits))
    }
    guard let graph = file.graph else {
      throw .corrupt(.avif, reason: "there is no picture", offset: nil)
    }
    return try picture(graph.primary, in: graph)
  }

  private func alpha() throws(ImagingError) -> PicturePlanes? {
    if file.track != nil {
      guard let track = file.alphaTrack else { return nil }
      return try Self.alpha(sample(0, of: track, by: AV1Decoder(size: track.size, limits: limits)))
    }
    guard let graph = file.graph, let picture = graph.alpha else { return nil }
    return try Self.alpha(self.picture(picture, in: graph))
  }

  /// Returns alpha in the full range.
  static func alpha(_ decoded: CodedPicture) throws(ImagingError) -> PicturePlanes {
    decoded.colors.is_full_range ? decoded.planes : try decoded.planes.expandedRange()
  }

  /// Decodes a sample of a track; those before it, from a key frame on, have been decoded by the same decoder.
  func sample(
    _ index: Int, of track: SequenceTrack, by decoder: AV1Decoder
  ) throws(ImagingError) -> CodedPicture {
    guard track.table.samples.indices.contains(index) else {
      throw .corrupt(.avif, reason: "the track has no sample \(index)", offset: nil)
    }
    let range = track.table.samples[index]
    guard range.upperBound <= bytes.count else { throw .truncated(.avif, byteCount: bytes.count) }
    return Self.decoded(try decoder.picture(of: UnsafeRawBufferPointer(rebasing: bytes[range])))
  }

  static func decoded(_ picture: AV1Picture) -> CodedPicture {
    CodedPicture(
      planes: PicturePlanes(picture.planes, owner: picture), colors: picture.colors,
      maxLight: picture.maxLight)
  }

  // MARK: Items

  private func picture(_ picture: ItemGraph.Picture, in graph: ItemGraph) throws(ImagingError) -> CodedPicture
  {
    switch picture.composition {
    case .coded(let id):
      return try item(id, in: graph, size: picture.size)
    case .derived("iden", let inputs) where inputs.count == 1:
      return try item(inputs[0], in: graph, size: picture.size)
    case .derived(let type, _):
      throw .unsupportedFormat(.avif, reason: "the picture is derived in a way that is not known (\(type))")
    case .grid(let grid, let tiles):
      return try self.grid(grid, tiles, in: graph)
    }
  }

  private func grid(
    _ grid: PictureGrid, _ tiles: [UInt32], in graph: ItemGraph
  ) throws(ImagingError) -> CodedPicture {
    let reader = graph.reader(of: bytes, limits: limits)
    var canvas: CodedPicture?
    for (index, id) in tiles.enumerated() {
      try watch.check()
      let size = try reader.size(of: id)
      let tile = try item(id, in: graph, size: size)
      if canvas == nil {
        guard tile.planes.isTile || tiles.count == 1 else {
          throw .corrupt(.avif, reason: "tiles of \(size) do not fit a grid with halved chroma", offset: nil)
        }
        canvas = CodedPicture(
          planes: try PicturePlanes.canvas(grid.size, like: tile.planes), colors: tile.colors,
          maxLight: tile.maxLight)
      }
      let (row, column) = (index / grid.columns, index % grid.columns)
      try canvas?.planes.place(tile.planes, x: column * size.width, y: row * size.height, format: .avif)
    }
    guard let canvas else { throw .corrupt(.avif, reason: "the grid has no tiles", offset: nil) }
    return canvas
  }

  private func item(_ id: UInt32, in graph: ItemGraph, size: PixelSize) throws(ImagingError) -> CodedPicture {
    guard let item = graph.table.items[id] else {
      throw .corrupt(.avif, reason: "there is no item \(id)", offset: nil)
    }
    guard item.type == FourCC("av01") else {
      throw .unsupportedFormat(
        .avif, reason: "the picture is coded as \(item.type.map(\.description) ?? "an item without a type")")
    }
    let properties = graph.table.properties(of: item)
    let decoder = try AV1Decoder(size: size, layers: AV1Decoder.Layers(properties), limits: limits)
    return try graph.reader(of: bytes, limits: limits).withData(of: item, in: bytes) {
      (unit) throws(ImagingError) in
      Self.decoded(try decoder.picture(of: unit))
    }
  }
}

extension AV1Decoder.Layers {
  /// Reads the choice of layers among the properties of an item.
  init(_ properties: [ItemProperty]) {
    for property in properties {
      switch property {
      case .operatingPoint(let point): operatingPoint = point
      // Without a choice, the highest layer is shown (AV1-ISOBMFF; ISO/IEC 23008-12, 6.5.11).
      case .layer(let layer) where layer != 0xFFFF: selected = Int(layer)
      default: break
      }
    }
  }
}
#endif
