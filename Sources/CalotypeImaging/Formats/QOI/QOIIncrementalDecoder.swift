import FoundationEssentials

/// A decoder for QOI that takes bytes as they arrive.
final class QOIIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let bytes = AppendBuffer()
  private var header: QOIHeader?
  private var painter: QOIPainter?
  /// The permission to allocate memory for the picture.
  private var grant: DecodeLimits.Grant
  /// The number of pixels in the last snapshot.
  private var shownCount = 0

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  var info: ImageInfo? { header?.info }

  var profile: ColorProfile? { header?.profile }

  var completedPasses: Int { painter?.isComplete == true ? 1 : 0 }

  func append(_ chunk: Data) throws(ImagingError) {
    try bytes.append(chunk, limit: options.limits.maxBytes)
    try advance()
  }

  private func advance() throws(ImagingError) {
    if header == nil {
      do throws(ImagingError) {
        header = try QOIHeader(bytes.all.bytes, limits: options.limits)
      } catch {
        guard error.needsMoreBytes else { throw error }
      }
    }
    guard let header, bytes.count > QOIHeader.byteCount,
      try grant.isGiven(for: bytes.count, options.fedByteCount(for: header.info))
    else { return }
    if painter == nil { painter = try QOIPainter(header) }
    guard let painter, !painter.isComplete else { return }
    try clock.run { (watch) throws(ImagingError) in try painter.paint(bytes.all, watch: watch) }
  }

  func snapshot() throws(ImagingError) -> Image? {
    guard let header, let painter, painter.count > shownCount else { return nil }
    shownCount = painter.count
    return header.image(try painter.preview(), .partial)
  }

  func finish() throws(ImagingError) -> Image {
    if Task.isCancelled { throw .cancelled }
    guard bytes.count > 0 else { throw .emptyInput }
    guard let header else { throw .truncated(.qoi, byteCount: bytes.count) }
    try grant.demand(for: bytes.count, options.fedByteCount(for: header.info))
    try advance()
    guard let painter else { throw .truncated(.qoi, byteCount: bytes.count) }
    let (bitmap, flaws) = try painter.finish(bytes.all, options: options)
    self.painter = nil
    return header.image(bitmap, flaws)
  }
}
