/// The top level of a HEIF or AVIF file: the brands, the items and the track of an animation.
package struct ISOMediaFile: Sendable {
  /// The format.
  package let format: ImageFormat
  /// The pictures; `nil` in a file of tracks alone.
  package let graph: ItemGraph?
  /// The animation, if the file presents itself as one.
  package let track: SequenceTrack?
  /// The alpha of ``track``.
  package let alphaTrack: SequenceTrack?

  private static let sequenceBrands: Set<FourCC> = [
    FourCC("avis"), FourCC("msf1"), FourCC("hevc"), FourCC("hevx"), FourCC("hevm"), FourCC("hevs"),
  ]

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: The first bytes of the file.
  ///   - isWhole: Pass true if no more bytes follow.
  ///   - format: The format, by the brands.
  ///   - limits: The limits of the image.
  /// - Returns: `nil` if more bytes are needed, and may come.
  /// - Throws: ``ImagingError/truncated(_:byteCount:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/unsupportedFormat(_:reason:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  package init?(
    _ bytes: RawSpan, isWhole: Bool, format: ImageFormat, limits: DecodeLimits
  ) throws(ImagingError) {
    self.format = format
    let level = try TopLevel(bytes, format: format)
    let brand = bytes.uint32(at: 8, bigEndian: true).map { FourCC(rawValue: $0) }
    let isSequence = brand.map { Self.sequenceBrands.contains($0) } ?? false
    /// Returns whether a box is at hand as a whole; throws if it is cut off and no more bytes follow.
    func isThere(_ box: ISOBox) throws(ImagingError) -> Bool {
      if box.end <= bytes.byteCount, isWhole || !box.isOpen { return true }
      if isWhole { throw .truncated(format, byteCount: bytes.byteCount) }
      return false
    }
    if let meta = level.meta, try !isThere(meta) { return nil }
    if isSequence || level.meta == nil {
      guard let movie = level.movie else {
        guard isWhole else { return nil }
        guard level.meta != nil else {
          if level.isCompact {
            throw .unsupportedFormat(format, reason: "the header is a compact one (mini), which is not read")
          }
          if level.end > bytes.byteCount { throw .truncated(format, byteCount: bytes.byteCount) }
          throw .corrupt(format, reason: "there is neither a picture nor a track", offset: nil)
        }
        (track, alphaTrack) = (nil, nil)
        graph = try Self.graph(level, bytes, isWhole: isWhole, limits, format)
        if graph == nil { return nil }
        return
      }
      guard try isThere(movie) else { return nil }
      // The order of the boxes is free: the items, which decide whether the tracks count, may come behind them.
      if level.meta == nil, !isWhole { return nil }
      let shown = try SequenceTrack.shown(in: movie, bytes, limits: limits, format: format)
      guard shown != nil || level.meta != nil else {
        throw .corrupt(format, reason: "there is no track of pictures", offset: movie.offset)
      }
      (track, alphaTrack) = (shown?.track, shown?.alpha)
    } else {
      (track, alphaTrack) = (nil, nil)
    }
    guard level.meta != nil else {
      graph = nil
      return
    }
    graph = try Self.graph(level, bytes, isWhole: isWhole, limits, format)
    if graph == nil { return nil }
  }

  private static func graph(
    _ level: TopLevel, _ bytes: RawSpan, isWhole: Bool, _ limits: DecodeLimits, _ format: ImageFormat
  ) throws(ImagingError) -> ItemGraph? {
    guard let meta = level.meta else { return nil }
    let table = try ItemTable(meta, bytes, limits: limits, format: format)
    let available = ItemGraph.Available(
      byteCount: bytes.byteCount, claimedLength: isWhole ? max(level.end, bytes.byteCount) : nil)
    return try ItemGraph(table, bytes, available: available, limits: limits)
  }

  /// The boxes at the top level, as far as their headers are there.
  private struct TopLevel {
    var meta: ISOBox?
    var movie: ISOBox?
    var isCompact = false
    /// The end of the last box, beyond the bytes at hand if the file is cut.
    var end = 0

    init(_ bytes: RawSpan, format: ImageFormat) throws(ImagingError) {
      while end < bytes.byteCount {
        let box: ISOBox?
        do throws(ImagingError) {
          box = try ISOBox.read(bytes, at: end, end: nil, format: format)
        } catch {
          // Bytes behind the last box are ignored, as long as the header is there.
          if meta != nil || movie != nil { return }
          throw error
        }
        guard let box else { return }
        switch box.type {
        case "meta" where meta == nil: meta = box
        case "moov" where movie == nil: movie = box
        case "mini": isCompact = true
        default: break
        }
        end = box.end
      }
    }
  }
}
