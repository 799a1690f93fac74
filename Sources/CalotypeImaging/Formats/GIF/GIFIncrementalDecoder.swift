import FoundationEssentials

/// A decoder for GIF that takes bytes as they arrive: the first frame row by row, later ones on request.
///
/// All bytes are kept, because any complete frame may be requested.
final class GIFIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let bytes = AppendBuffer()
  private var structure: GIFStructure
  private var reader: GIFFrameReader?
  private let compositor: FrameCompositor
  /// The permission to allocate memory for the first frame.
  private var grant: DecodeLimits.Grant
  /// The number of frames for which the permission has been checked.
  private var checkedFrameCount = 0
  /// The number of indices of the first frame in the last snapshot.
  private var shownCount = 0
  private var isFinished = false
  /// The number of bytes that make another look worthwhile.
  private var nextCount = 1

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    structure = GIFStructure(limits: options.limits)
    compositor = FrameCompositor(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  var info: ImageInfo? { structure.frames.isEmpty ? nil : structure.info }

  var completeFrameCount: Int {
    isFinished && options.keepsPartial ? structure.frames.count : structure.completeFrameCount
  }

  var completedPasses: Int {
    guard let reader, reader.frame.isInterlaced else { return min(1, structure.completeFrameCount) }
    return GIFPainter.completePasses(of: reader.frame, pixelCount: reader.count)
  }

  func append(_ chunk: Data) throws(ImagingError) {
    if bytes.appendQuietly(chunk) { return }
    try bytes.append(chunk, limit: options.limits.maxBytes)
    defer { bytes.wait(for: nextCount, limit: options.limits.maxBytes) }
    guard bytes.count >= nextCount else { return }
    try structure.read(bytes.all.bytes)
    nextCount = structure.nextCount(after: bytes.count)
    try readFirstFrame()
  }

  private func readFirstFrame() throws(ImagingError) {
    guard let frame = structure.frames.first, frame.size.pixelCount > 0 else { return }
    // Memory is allocated once there are pixels to store.
    guard bytes.count >= frame.dataStart,
      try grant.isGiven(for: bytes.count, options.fedByteCount(for: structure.info))
    else { return }
    if reader == nil { reader = try GIFFrameReader(frame, pool: .shared) }
    guard let reader, !reader.isDone else { return }
    try clock.run { (watch) throws(ImagingError) in try reader.read(bytes.all, watch: watch) }
  }

  func snapshot() throws(ImagingError) -> Image? {
    try readFirstFrame()
    guard let reader, reader.count > shownCount else { return nil }
    shownCount = reader.count
    return structure.image(try paint(reader.decoded, ground: .preview), .partial)
  }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  var isFrameDamaged: Bool { compositor.flaws.contains(.damaged) }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard index >= 0, index < completeFrameCount else {
      throw .invalidParameter(
        name: "frame", reason: "frame \(index) is not complete; \(completeFrameCount) frames are")
    }
    if checkedFrameCount != structure.frames.count {
      try options.checkFrames(of: structure.info, encodedByteCount: bytes.count, isFed: true)
      checkedFrameCount = structure.frames.count
    }
    return try compositor.bitmap(
      at: index, of: GIFFrames(structure: structure, file: bytes.all, options: options))
  }

  func finish() throws(ImagingError) -> Image {
    if Task.isCancelled { throw .cancelled }
    guard bytes.count > 0 else { throw .emptyInput }
    if !isFinished { try structure.finish(bytes.all.bytes) }
    isFinished = true
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.gif, byteCount: bytes.count) }
    try grant.demand(for: bytes.count, options.fedByteCount(for: structure.info))
    try readFirstFrame()
    var flaws: DamageReport = structure.isTruncated ? .partial : []
    if let reader {
      flaws.formUnion(try reader.finish(byteCount: bytes.count, options: options))
    } else if structure.firstFrame.size.pixelCount > 0 {
      throw .truncated(.gif, byteCount: bytes.count)
    }
    let bitmap = try paint(reader?.decoded ?? UnsafeBufferPointer(start: nil, count: 0), ground: .fresh)
    return structure.image(bitmap, flaws)
  }

  /// Returns the first frame on its canvas.
  private func paint(
    _ indices: UnsafeBufferPointer<UInt8>, ground: GIFPainter.Ground
  ) throws(ImagingError) -> Bitmap {
    let painter = GIFPainter(structure.firstFrame, of: structure, file: bytes.all)
    return try Bitmap(size: structure.canvas) { pixels in
      painter.paint(indices, onto: pixels, ground: ground)
    }
  }
}
