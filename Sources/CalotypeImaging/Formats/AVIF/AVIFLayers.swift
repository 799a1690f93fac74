#if AVIF
/// The layers of a picture of one item, each of which improves the one before (AV1-ISOBMFF, 2.3.2).
struct AVIFLayers {
  /// The item.
  let id: UInt32
  /// The parts of the file that hold the item's data, in order.
  let ranges: [Range<Int>]
  /// The length of the data up to the end of each layer but the last.
  let ends: [Int]

  /// Finds the layers of the primary picture; `nil` if there is one alone, or if one of them is to be shown alone, or if
  /// there is alpha, whose layers have other ends.
  init?(_ file: ISOMediaFile, limits: DecodeLimits) {
    guard let graph = file.graph, file.track == nil, graph.alpha == nil,
      case .coded(let id) = graph.primary.composition, let item = graph.table.items[id]
    else { return nil }
    var sizes: [UInt32] = []
    for property in graph.table.properties(of: item) {
      switch property {
      case .layerSizes(let found): sizes = found
      case .layer(let selected) where selected != 0xFFFF: return nil
      default: break
      }
    }
    // The sizes end with the first zero.
    var ends: [Int] = []
    for size in sizes {
      guard size > 0 else { break }
      ends.append((ends.last ?? 0) + Int(size))
    }
    let reader = PictureReader(
      table: graph.table, available: ItemGraph.Available(byteCount: 0, claimedLength: nil), limits: limits)
    guard !ends.isEmpty, let ranges = try? reader.ranges(of: item) else { return nil }
    (self.id, self.ranges, self.ends) = (id, ranges, ends)
  }

  /// Returns the number of layers whose data are in the first bytes of the file; `nil` for none.
  func count(in byteCount: Int) -> Int? {
    var arrived = 0
    for range in ranges {
      arrived += max(0, min(range.upperBound, byteCount) - range.lowerBound)
      if range.upperBound > byteCount { break }
    }
    let count = ends.count { $0 <= arrived }
    return count > 0 ? count : nil
  }

  /// Returns the data of the first layers.
  func data(_ bytes: UnsafeRawBufferPointer, count: Int) -> [UInt8] {
    var data: [UInt8] = []
    for range in ranges where range.lowerBound < bytes.count {
      let part = bytes[range.lowerBound..<min(range.upperBound, bytes.count)]
      data.append(contentsOf: part.prefix(ends[count - 1] - data.count))
    }
    return data
  }
}

extension AVIFPictureReader {
  /// Decodes the first layers of a picture; `nil` if the last of them is smaller than the picture.
  func preview(
    _ layers: AVIFLayers, count: Int, options: DecodeOptions
  ) throws(ImagingError) -> (pixels: AVIFPixels, profile: ColorProfile?)? {
    guard let graph = file.graph, let item = graph.table.items[layers.id] else { return nil }
    var choice = AV1Decoder.Layers(graph.table.properties(of: item))
    choice.deliversAll = true
    let decoder = try AV1Decoder(size: graph.primary.size, layers: choice, limits: limits)
    let data = layers.data(bytes, count: count)
    let picture = try data.span.bytes.withUnsafeBytes { (unit) throws(ImagingError) in
      try decoder.picture(of: unit)
    }
    guard picture.size == graph.primary.size else { return nil }
    let color = Decoded(planes: AVIFPlanes(picture), colors: picture.colors, maxLight: picture.maxLight)
    return try AVIFColors(file, color, bytes, limits).pixels(color, alpha: nil, in: file, options: options)
  }
}
#endif
