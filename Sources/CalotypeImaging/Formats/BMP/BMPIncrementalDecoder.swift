import FoundationEssentials

/// A decoder for bitmaps that takes bytes as they arrive and paints rows, usually from the bottom.
final class BMPIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let bytes = AppendBuffer()
  private var file: BMPFile?
  private var painter: BMPPainter?
  /// The permission to allocate memory for the picture.
  private var grant: DecodeLimits.Grant
  private var knownInfo: ImageInfo?
  private var knownProfile: ColorProfile?
  /// The progress at the last snapshot.
  private var shownProgress = 0

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  var info: ImageInfo? {
    // The profile is read once: info may be asked for after each byte.
    if let knownInfo { return knownInfo }
    guard let file else { return nil }
    let profile = profile
    let info = file.header.info(profile)
    if profile != nil || file.header.profile == nil { knownInfo = info }
    return info
  }

  var profile: ColorProfile? {
    if knownProfile == nil { knownProfile = file?.profile(in: bytes.all) }
    return knownProfile
  }

  var completedPasses: Int { painter?.isComplete == true ? 1 : 0 }

  func append(_ chunk: Data) throws(ImagingError) {
    try bytes.append(chunk, limit: options.limits.maxBytes)
    try advance()
  }

  private func advance() throws(ImagingError) {
    if file == nil {
      do throws(ImagingError) {
        file = try BMPFile(bytes.all.bytes, limits: options.limits)
      } catch {
        guard error.needsMoreBytes else { throw error }
        return
      }
    }
    guard let file else { return }
    let header = file.header
    // The palette is complete before the first pixel.
    guard bytes.count > header.pixelStart,
      try grant.isGiven(for: bytes.count, options.fedByteCount(for: header.info(nil)))
    else { return }
    if painter == nil { painter = try BMPPainter(header, bytes.all) }
    guard let painter, !painter.isComplete else { return }
    try clock.run { (watch) throws(ImagingError) in
      try watch.check()
      try painter.paint(bytes.all, watch: watch)
    }
  }

  func snapshot() throws(ImagingError) -> Image? {
    guard let file, let painter, painter.progress > shownProgress else { return nil }
    shownProgress = painter.progress
    return file.image(try painter.preview(), .partial, profile: profile)
  }

  func finish() throws(ImagingError) -> Image {
    if Task.isCancelled { throw .cancelled }
    guard bytes.count > 0 else { throw .emptyInput }
    guard let file else {
      _ = try BMPHeader(bytes.all.bytes, in: .file)
      throw .truncated(.bmp, byteCount: bytes.count)
    }
    try grant.demand(for: bytes.count, options.fedByteCount(for: file.header.info(nil)))
    try advance()
    guard let painter else { throw .truncated(.bmp, byteCount: bytes.count) }
    let (bitmap, flaws) = try painter.finish(byteCount: bytes.count, options: options)
    self.painter = nil
    return file.image(bitmap, flaws, profile: profile)
  }
}
