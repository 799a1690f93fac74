import FoundationEssentials

/// A decoder for PNG that takes bytes as they arrive.
///
/// Nothing is inflated before the first snapshot: without snapshots the image is decoded at the end, in one call, which
/// is twice as fast as row by row. From the first snapshot on, or from the start if the image is too large for that,
/// rows are painted when they arrive. All input is kept: it is a fraction of the pixels, and the source of the frames
/// of an animation.
final class PNGIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let compositor: FrameCompositor
  /// The permission to allocate memory for the picture.
  private var grant: DecodeLimits.Grant
  /// The number of frames for which the permission has been checked.
  private var checkedFrameCount = 0
  private var data = Data()
  private var walk: PNGWalk
  private var stream: PNGRowStream?
  private var mayStart = true
  /// The IDAT chunk that feeds `stream`, and the offsets up to which it was passed on and its CRC computed.
  private var chunkStart = 0
  private var position = 0
  private var checksum: UInt32 = 0
  private var isImageDataSound = true
  private var isImageDataOver = false
  /// The number of rows in the last snapshot.
  private var shownRows = 0
  private var shownFirstFrame = false
  /// The number of complete frames in truncated input: the current one is excluded.
  private var frameLimit = Int.max
  /// The number of passes of the complete picture, once there is one.
  private var finalPasses = 0
  /// An error from a property or method that cannot throw.
  private var failure: ImagingError?
  private var knownInfo: (frames: Int, hasExif: Bool, info: ImageInfo)?
  private var knownProfile: ColorProfile??

  init(options: DecodeOptions) {
    self.options = options
    clock = DecodeLimits.Stopwatch(options.limits)
    walk = PNGWalk(limits: options.limits)
    compositor = FrameCompositor(options.limits)
    grant = DecodeLimits.Grant(options.limits)
  }

  func append(_ chunk: Data) throws(ImagingError) {
    guard data.count + chunk.count <= options.limits.maxBytes else {
      throw .limitExceeded(.bytes, value: data.count + chunk.count, limit: options.limits.maxBytes)
    }
    data.append(chunk)
    try withBytes { bytes, watch throws(ImagingError) in
      try watch.check()
      try walk.advance(bytes)
      if mayStart, stream == nil, visibleStructure != nil {
        mayStart = mustStream(bytes)
        if mayStart { mayStart = try !startStream(bytes) }
      }
      try feed(bytes, watch)
    }
  }

  var info: ImageInfo? {
    guard let structure = visibleStructure else { return nil }
    let frames = structure.animation?.frames.count ?? 0
    let hasExif = structure.exif != nil
    if let knownInfo, knownInfo.frames == frames, knownInfo.hasExif == hasExif,
      knownInfo.info.isDamaged == structure.isDamaged
    {
      return knownInfo.info
    }
    let info = data.withUnsafeBytes { bytes in
      PNGFile(bytes: bytes, structure: structure, options: options).info(profile)
    }
    knownInfo = (frames, hasExif, info)
    return info
  }

  var profile: ColorProfile? {
    if let knownProfile { return knownProfile }
    // All colour chunks come before the image data.
    guard let structure = visibleStructure else { return nil }
    let profile = data.withUnsafeBytes { bytes in
      PNGFile(bytes: bytes, structure: structure, options: options).profile
    }
    knownProfile = .some(profile)
    return profile
  }

  func snapshot() throws(ImagingError) -> Image? {
    try withBytes { bytes, watch throws(ImagingError) in
      guard let structure = visibleStructure else { return nil }
      let file = PNGFile(bytes: bytes, structure: structure, options: options)
      if !showsDefaultImage {
        guard !shownFirstFrame, completeFrameCount > 0,
          (try? checkFrames(structure, byteCount: bytes.count)) != nil
        else { return nil }
        shownFirstFrame = true
        return try visibleFirstFrame(of: file).map { file.image($0, .partial) }
      }
      if stream == nil { _ = try startStream(bytes) }
      try feed(bytes, watch)
      guard let painter = stream?.painter, painter.rows > shownRows else { return nil }
      shownRows = painter.rows
      return file.image(try PNGPreview.bitmap(of: painter), .partial)
    }
  }

  /// Returns the first frame; `nil` if it is damaged, which ``finish()`` reports.
  private func visibleFirstFrame(of file: PNGFile) throws(ImagingError) -> Bitmap? {
    do throws(ImagingError) {
      return try compositor.bitmap(at: 0, of: PNGFrames(file: file))
    } catch {
      if error.leavesPixels { return nil }
      throw error
    }
  }

  var completedPasses: Int {
    if finalPasses > 0 { return finalPasses }
    guard let structure = visibleStructure, showsDefaultImage, structure.header.isInterlaced else {
      return min(1, completeFrameCount)
    }
    // Passes are only known to a decode row by row. From now on rows are painted when they arrive.
    if stream == nil, failure == nil {
      do throws(ImagingError) {
        try withBytes { bytes, watch throws(ImagingError) in
          _ = try startStream(bytes)
          try feed(bytes, watch)
        }
      } catch {
        failure = error
      }
    }
    return stream?.painter.pass ?? 0
  }

  var completeFrameCount: Int { min(visibleStructure?.animation?.frames.count ?? 0, frameLimit) }

  var isFramePartial: Bool { compositor.flaws.contains(.partial) }

  var isFrameDamaged: Bool { compositor.flaws.contains(.damaged) }

  func frame(at index: Int) throws(ImagingError) -> Bitmap {
    guard let structure = visibleStructure else {
      throw .invalidParameter(name: "index", reason: "no frame is complete yet")
    }
    try checkFrames(structure, byteCount: data.count)
    // The time limit is that of a pass over frames: a player requests them again and again.
    return try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in
        try compositor.bitmap(
          at: index,
          of: PNGFrames(file: PNGFile(bytes: bytes, structure: structure, options: options)))
      }
    }.get()
  }

  /// Refuses frames that take too much work or memory.
  private func checkFrames(_ structure: PNGStructure, byteCount: Int) throws(ImagingError) {
    let count = structure.animation?.frames.count ?? 0
    guard count != checkedFrameCount, var info else { return }
    // Frames that have not arrived cost nothing yet.
    info.frameCount = count
    try options.checkFrames(of: info, encodedByteCount: byteCount, isFed: true)
    checkedFrameCount = count
  }

  func finish() throws(ImagingError) -> Image {
    guard !data.isEmpty else { throw .emptyInput }
    return try withBytes { bytes, watch throws(ImagingError) in
      try watch.check()
      let frameCount = completeFrameCount
      try walk.finish(bytes)
      if case .truncated? = walk.structure?.animation?.damage, !options.keepsPartial {
        frameLimit = frameCount
      }
      try feed(bytes, watch)
      guard let structure = walk.structure else { throw .truncated(.png, byteCount: bytes.count) }
      let file = PNGFile(bytes: bytes, structure: structure, options: options)
      try grant.demand(for: bytes.count, options.fedByteCount(for: file.info(file.profile)))
      let flaws = try file.animationFlaws()
      // Rows of sound data are the image. Any flaw is left to the decoder of whole files.
      guard let stream, stream.painter.isComplete, isImageDataSound, file.firstFrame == nil,
        stream.painter.canvas.format == file.format
      else {
        let seen = stream?.painter.pass ?? 0
        self.stream = nil
        let image = try file.decode(watch)
        finalPasses = max(1, image.isPartial || image.isDamaged ? seen : file.passCount)
        return image
      }
      finalPasses = file.passCount
      self.stream = nil
      return file.image(stream.painter.canvas.finished(isOpaque: !structure.hasAlpha), flaws)
    }
  }

  /// The structure as far as it is known, once the image data begins: all chunks that describe the image come before
  /// it.
  private var visibleStructure: PNGStructure? {
    guard var structure = walk.structure, !structure.isBeforeImageData || imageDataHasBegun else {
      return nil
    }
    // A visible frame has all of its data: it cannot gain pixels later.
    if structure.animation == nil { structure.end(animation: walk.frames?.current, isTruncated: false) }
    return structure
  }

  /// A Boolean value that indicates whether the walk has stopped before the first IDAT chunk, which is not complete
  /// yet.
  private var imageDataHasBegun: Bool {
    data.withUnsafeBytes { bytes in
      var cursor = PNGChunkCursor(bytes, from: walk.offset)
      return (try? cursor.next())?.type == .imageData
    }
  }

  /// A Boolean value that indicates whether a decode of all bytes will deliver the default image, as far as is known.
  private var showsDefaultImage: Bool {
    guard let frames = walk.frames, frames.hasAnimation else { return true }
    return frames.startsWithDefaultImage
  }

  /// Returns true if the image has to be decoded row by row in any case, so that waiting gains nothing.
  private func mustStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let structure = visibleStructure, showsDefaultImage else { return false }
    let format = PNGFile(bytes: bytes, structure: structure, options: options).format
    guard let inflated = try? structure.header.inflatedBytes(PNGPass.all(of: structure.header)) else {
      return false
    }
    if inflated <= PNGInflation.spareLimit { return false }
    return (try? PNGPixelReader.spare(for: structure, format: format)) == 0
  }

  /// Allocates memory for the picture; `false` if more bytes have to arrive first.
  private func startStream(_ bytes: UnsafeRawBufferPointer) throws(ImagingError) -> Bool {
    guard let structure = visibleStructure,
      structure.header.colorType != .indexed || structure.palette != nil
    else { return true }
    guard let info, try grant.isGiven(for: bytes.count, options.fedByteCount(for: info)) else { return false }
    let file = PNGFile(bytes: bytes, structure: structure, options: options)
    let canvas = try PixelCanvas(size: structure.header.size, format: file.format)
    stream = try PNGRowStream(
      try PNGRowPainter(bytes, structure, on: canvas, area: PixelRectangle(structure.header.size)))
    chunkStart = structure.imageData?.lowerBound ?? walk.offset
    position = chunkStart
    return true
  }

  /// Feeds the stream with the new part of the IDAT chunks.
  private func feed(
    _ bytes: UnsafeRawBufferPointer, _ watch: DecodeLimits.DeadlineChecker
  ) throws(ImagingError) {
    guard let stream else { return }
    while !isImageDataOver, bytes.count - chunkStart >= 8 {
      var cursor = PNGChunkCursor(bytes, from: chunkStart)
      guard let chunk = try? cursor.next(), chunk.type == .imageData else {
        isImageDataOver = true
        return
      }
      let type = chunk.payload.lowerBound - 4
      // The CRC covers the type as well.
      let begin = max(position, type)
      if begin == type { checksum = 0 }
      let unseen = UnsafeRawBufferPointer(rebasing: bytes[begin..<chunk.payload.upperBound])
      checksum = PNGChecksum.crc(of: unseen, continuing: checksum)
      let piece = UnsafeRawBufferPointer(
        rebasing: bytes[max(begin, chunk.payload.lowerBound)..<chunk.payload.upperBound])
      try stream.feed(piece, watch: watch)
      position = chunk.payload.upperBound
      guard chunk.isComplete else { return }
      if bytes.bigEndian32(at: chunk.payload.upperBound) != checksum { isImageDataSound = false }
      position = chunk.range.upperBound
      chunkStart = position
    }
  }

  private func withBytes<Value>(
    _ body: (UnsafeRawBufferPointer, DecodeLimits.DeadlineChecker) throws(ImagingError) -> Value
  ) throws(ImagingError) -> Value {
    if let failure { throw failure }
    // The bytes do not change while they are read.
    return try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in
        try clock.run { (watch) throws(ImagingError) in try body(bytes, watch) }
      }
    }.get()
  }
}
