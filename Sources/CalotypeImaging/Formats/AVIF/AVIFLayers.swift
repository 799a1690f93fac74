#if AVIF
/// The layers of an item, each of which improves the one before (AV1-ISOBMFF, 2.3.2).
struct LayeredItem {
  let item: ItemTable.Item
  /// The parts of the file that hold the data, in order.
  private let ranges: [Range<Int>]
  /// The length of the data up to the end of each layer, as far as they are known: that of the last may not be.
  private let ends: [Int]

  /// Finds the layers of an item; `nil` if there is nothing to show before its end.
  init?(_ id: UInt32, in graph: ItemGraph, limits: DecodeLimits) {
    guard let item = graph.table.items[id] else { return nil }
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
    (self.item, self.ranges, self.ends) = (item, ranges, ends)
  }

  /// Returns the number of layers, without the last, whose data are in the first bytes of the file.
  func count(in byteCount: Int) -> Int {
    var arrived = 0
    for range in ranges {
      arrived += max(0, min(range.upperBound, byteCount) - range.lowerBound)
      if range.upperBound > byteCount { break }
    }
    return ends.count { $0 <= arrived }
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

/// The layers of a picture of one item, and those of its alpha.
struct AVIFLayers {
  let color: LayeredItem
  let alpha: LayeredItem?

  /// Finds the layers of the primary picture; `nil` if there is nothing to show before its end.
  init?(_ file: ISOMediaFile, limits: DecodeLimits) {
    guard let graph = file.graph, file.track == nil, case .coded(let id) = graph.primary.composition,
      let color = LayeredItem(id, in: graph, limits: limits)
    else { return nil }
    self.color = color
    guard let picture = graph.alpha else {
      alpha = nil
      return
    }
    guard case .coded(let id) = picture.composition, let alpha = LayeredItem(id, in: graph, limits: limits)
    else {
      return nil
    }
    self.alpha = alpha
  }

  /// Returns the number of layers whose data are in the first bytes of the file.
  func count(in byteCount: Int) -> Int {
    min(color.count(in: byteCount), alpha?.count(in: byteCount) ?? .max)
  }
}

extension AVIFPictureReader {
  /// Decodes the first layers of a picture; `nil` if the last of them is smaller than the picture.
  func preview(
    _ layers: AVIFLayers, count: Int, options: DecodeOptions
  ) throws(ImagingError) -> AVIFPixels? {
    guard let graph = file.graph, let color = try preview(layers.color, graph, count: count) else {
      return nil
    }
    var alpha: PicturePlanes?
    if let layered = layers.alpha {
      guard let picture = try preview(layered, graph, count: count) else { return nil }
      alpha = try Self.alpha(picture)
    }
    return try AVIFPixels(color, alpha: alpha, of: self, options: options)
  }

  private func preview(
    _ layers: LayeredItem, _ graph: ItemGraph, count: Int
  ) throws(ImagingError) -> CodedPicture? {
    var choice = AV1Decoder.Layers(graph.table.properties(of: layers.item))
    choice.deliversAll = true
    let decoder = try AV1Decoder(size: graph.primary.size, layers: choice, limits: limits)
    let data = layers.data(bytes, count: count)
    let picture = try data.span.bytes.withUnsafeBytes { (unit) throws(ImagingError) -> AV1Picture in
      try decoder.picture(of: unit)
    }
    return picture.size == graph.primary.size ? Self.decoded(picture) : nil
  }
}
#endif
