#if HEIF
/// A complete HEIF file, whose boxes are read.
struct HEIFFile {
  let media: ISOMediaFile
  let info: ImageInfo
  private let bytes: UnsafeRawBufferPointer

  /// The largest number of embedded thumbnails that are looked at.
  private static let maxThumbnailCount = 16

  /// Reads the boxes.
  init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    let span = bytes.bytes
    guard ImageFormat.sniff(span.extracting(first: ImageFormat.sniffLength)) == .heif else {
      throw bytes.isEmpty ? .emptyInput : .unrecognizedFormat(hint: nil)
    }
    guard let media = try ISOMediaFile(span, isWhole: true, format: .heif, limits: limits) else {
      throw .truncated(.heif, byteCount: bytes.count)
    }
    (self.media, self.bytes) = (media, bytes)
    info = media.info(span, limits: limits)
  }

  /// Decodes the primary picture, or an embedded thumbnail that suffices.
  func image(
    minimumSize: PixelSize?, options: DecodeOptions, watch: DecodeLimits.DeadlineChecker,
    shrinkingBy shrinker: RowShrinker? = nil
  ) throws(ImagingError) -> Image {
    guard media.track == nil, let graph = media.graph else {
      throw .unsupportedFormat(.heif, reason: "sequences of pictures are not decoded")
    }
    try OptionalLibrary.heif.require()
    let reader = HEIFPictureReader(graph, bytes, limits: options.limits, watch: watch)
    func image(of rows: HEIFRows) throws(ImagingError) -> Image {
      Image(
        bitmap: try rows.bitmap(shrinkingBy: shrinker, options: options, watch), info: info,
        orientation: info.orientation, profile: rows.profile,
        metadata: options.readsMetadata ? media.metadata(bytes, limits: options.limits) : ImageMetadata())
    }
    for (picture, part) in thumbnails(graph, reader, minimumSize: minimumSize) {
      do throws(ImagingError) {
        var colors = graph.colorProperties(of: picture)
        // It is the same picture, and has the same colours if it does not state its own.
        if !colors.contains(where: \.isColor) { colors = media.colorProperties }
        let rows = try HEIFRows(
          picture, alpha: nil, part: part, colors: colors, reader, minimumSize: nil, options: options)
        return try image(of: rows)
      } catch {
        // A thumbnail that is not sound, or of another codec, is no reason to refuse the picture.
        if case .unsupportedFormat = error { continue }
        guard error.blamesInput else { throw error }
      }
    }
    let geometry = PictureGeometry(graph.primary.size, by: graph.properties, cropping: true)
    return try image(
      of: HEIFRows(
        graph.primary, alpha: graph.alpha, part: geometry.part, colors: media.colorProperties, reader,
        minimumSize: boxSize(minimumSize: minimumSize, options: options), options: options))
  }

  /// Returns the smallest size that means of boxes may have.
  private func boxSize(minimumSize: PixelSize?, options: DecodeOptions) throws(ImagingError) -> PixelSize? {
    guard let minimumSize, options.decodedThumbnail(for: info) != nil else { return minimumSize }
    return try options.oversampledSize(for: info).map {
      PixelSize(width: max($0.width, minimumSize.width), height: max($0.height, minimumSize.height))
    }
  }

  /// Returns the embedded thumbnails that suffice, from the smallest on: of the shape and orientation of the picture,
  /// and at least as deep. Pictures with alpha have none.
  private func thumbnails(
    _ graph: ItemGraph, _ reader: HEIFPictureReader, minimumSize: PixelSize?
  ) -> [(picture: ItemGraph.Picture, part: PixelRectangle)] {
    guard let minimumSize, graph.alpha == nil else { return [] }
    var found: [(picture: ItemGraph.Picture, part: PixelRectangle)] = []
    for id in graph.thumbnails.prefix(Self.maxThumbnailCount) {
      guard let picture = reader.picture(id), let item = graph.table.items[id] else { continue }
      let geometry = PictureGeometry(picture.size, by: graph.table.properties(of: item), cropping: true)
      let size = geometry.part.size
      guard size.width >= minimumSize.width, size.height >= minimumSize.height,
        size.width <= info.size.width, size.height <= info.size.height,
        geometry.orientation == info.orientation, size.hasShape(of: info.size),
        picture.bitDepth ?? 0 >= info.bitDepth
      else { continue }
      found.append((picture, geometry.part))
    }
    return found.sorted { $0.part.size.pixelCount < $1.part.size.pixelCount }
  }
}

extension PixelSize {
  /// Returns whether the ratio of sides is that of another size, up to a hundredth.
  fileprivate func hasShape(of other: PixelSize) -> Bool {
    let (mine, its) = (Double(width) * Double(other.height), Double(height) * Double(other.width))
    return abs(mine - its) <= 0.01 * max(mine, its)
  }
}
#endif
