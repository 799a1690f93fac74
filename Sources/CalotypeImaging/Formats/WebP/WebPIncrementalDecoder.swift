import FoundationEssentials

/// A decoder for WebP that takes bytes as they arrive: a still or the first frame row by row, later frames on request.
///
/// All bytes are kept: any complete frame may be requested, and the metadata come last.
final class WebPIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let bytes = AppendBuffer()
  private var structure: WebPStructure
  private var first: First?
  private let compositor: FrameCompositor
  /// The permission to allocate memory for the first frame.
  private var grant: DecodeLimits.Grant
  /// The number of frames for which the permission has been checked.
  private var checkedFrameCount = 0
  /// The number of rows of the first frame in the last snapshot.
  private var shownRows = 0
  private var isFinished = false
  /// The number of bytes that make another look worthwhile.
  private var nextCount = 12

  private struct KnownInfo {
    struct Key: Equatable {
      let frames: Int
      let exif: Int
      let profile: Int
    }
    let key: Key
    let info: ImageInfo
  }
  private var knownInfo: KnownInfo?

  /// The first frame, and its canvas.
  private final class First {
    let canvas: UnsafeMutableRawBufferPointer
    let reader: WebPFrameReader

    init(_ structure: WebPStructure) throws(ImagingError) {
      let byteCount = structure.canvas.pixelCount * 4
      guard let canvas = PixelPool.shared.take(byteCount: byteCount) else {
        throw .outOfMemory(byteCount: byteCount)
      }
      self.canvas = canvas
      do {
        let target = try WebPFrameReader.Target(
          structure.firstFrame, onto: canvas, width: structure.canvas.width)
        reader = try WebPFrameReader(structure.firstFrame, into: target, pace: .arriving)
      } catch {
        PixelPool.shared.giveBack(canvas)
        throw error
      }
    }

    deinit {
      PixelPool.shared.giveBack(canvas)
    }
  }

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    structure = WebPStructure(limits: options.limits)
    compositor = FrameCompositor(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  var info: ImageInfo? {
    guard !structure.frames.isEmpty else { return nil }
    // Only the number of frames, and the chunks behind them, can still change.
    let key = KnownInfo.Key(
      frames: structure.frames.count, exif: structure.exif?.upperBound ?? 0,
      profile: structure.colorProfile?.upperBound ?? 0)
    if let knownInfo, knownInfo.key == key { return knownInfo.info }
    let info = structure.info(of: bytes.all)
    if max(key.exif, key.profile) <= bytes.count { knownInfo = KnownInfo(key: key, info: info) }
    return info
  }

  var profile: ColorProfile? { structure.profile(of: bytes.all) }

  var completeFrameCount: Int {
    isFinished && options.keepsPartial ? structure.frames.count : structure.completeFrameCount
  }

  var completedPasses: Int { min(1, structure.completeFrameCount) }

  func append(_ chunk: Data) throws(ImagingError) {
    if bytes.appendQuietly(chunk) { return }
    try bytes.append(chunk, limit: options.limits.maxBytes)
    defer { bytes.wait(for: nextCount, limit: options.limits.maxBytes) }
    guard bytes.count >= nextCount else { return }
    try structure.read(bytes.all)
    nextCount = structure.nextCount(after: bytes.count)
    guard !structure.frames.isEmpty else { return }
    guard try grant.isGiven(for: bytes.count, predictedByteCount) else {
      nextCount = min(nextCount, grant.neededByteCount)
      return
    }
    let reader = try makeFirst().reader
    try clock.run { (watch) throws(ImagingError) in try reader.read(bytes.all, watch: watch) }
    nextCount = min(nextCount, max(reader.nextCount, bytes.count + 1))
  }

  private var predictedByteCount: Int { options.fedByteCount(for: structure.info(of: bytes.all)) }

  private func makeFirst() throws(ImagingError) -> First {
    if let first { return first }
    let made = try First(structure)
    first = made
    return made
  }

  func snapshot() throws(ImagingError) -> Image? {
    guard let first else { return nil }
    let rows = first.reader.rows
    guard rows > shownRows else { return nil }
    shownRows = rows
    let bitmap = try bitmap(first, rows: rows)
    return structure.image(bitmap, of: bytes.all, isPartial: true, options: options)
  }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard index >= 0, index < completeFrameCount else {
      throw .invalidParameter(
        name: "frame", reason: "frame \(index) is not complete; \(completeFrameCount) frames are")
    }
    if checkedFrameCount != structure.frames.count, let info {
      try options.checkFrames(of: info, encodedByteCount: bytes.count, isFed: true)
      checkedFrameCount = structure.frames.count
    }
    return try compositor.bitmap(
      at: index,
      of: WebPFrames(structure: structure, file: bytes.all, allowsPartial: options.keepsPartial))
  }

  func finish() throws(ImagingError) -> Image {
    guard bytes.count > 0 else { throw .emptyInput }
    if !isFinished { try structure.finish(bytes.all) }
    isFinished = true
    if structure.isTruncated, !options.keepsPartial { throw .truncated(.webp, byteCount: bytes.count) }
    try grant.demand(for: bytes.count, predictedByteCount)
    let first = try makeFirst()
    let isComplete = try clock.run { (watch) throws(ImagingError) in
      try watch.check()
      return try first.reader.finish(bytes.all, allowsPartial: options.keepsPartial, watch: watch)
    }
    return structure.image(
      try bitmap(first, rows: first.reader.rows), of: bytes.all,
      isPartial: !isComplete || structure.isTruncated, options: options)
  }

  /// Returns the canvas with the first rows of the first frame; all other pixels are transparent.
  private func bitmap(_ first: First, rows: Int) throws(ImagingError) -> Bitmap {
    let frame = structure.firstFrame
    let canvas = structure.canvas
    return try Bitmap(size: canvas) { pixels in
      let isWhole = frame.size == canvas && rows == canvas.height
      if isWhole {
        pixels.copyMemory(from: UnsafeRawBufferPointer(rebasing: first.canvas[..<pixels.count]))
      } else {
        pixels.initializeMemory(as: UInt8.self, repeating: 0)
        for row in frame.y..<frame.y + rows {
          let start = 4 * (row * canvas.width + frame.x)
          let bytes = start..<start + 4 * frame.size.width
          UnsafeMutableRawBufferPointer(rebasing: pixels[bytes])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: first.canvas[bytes]))
        }
      }
      if frame.isLossless, !frame.hasAlpha, let base = pixels.baseAddress {
        let start = 4 * (frame.y * canvas.width + frame.x)
        WebPPixels.makeOpaque(
          UnsafeMutableRawBufferPointer(start: base + start, count: pixels.count - start),
          width: frame.size.width, rows: rows, bytesPerRow: 4 * canvas.width)
      }
      return isWhole && !frame.hasAlpha
    }
  }
}
