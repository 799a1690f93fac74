import FoundationEssentials

/// Decodes a PNG while it arrives.
///
/// Nothing is inflated before somebody looks: without snapshots the image is decoded at the end, at once, which is
/// twice as fast as row by row. From the first snapshot on, or from the start when the image is too large for that,
/// rows are painted when they arrive. All input is kept: it is a fraction of the pixels, and what the frames of an
/// animation are made of.
final class PNGIncrementalDecoder: IncrementalImageDecoding {
  private let options: DecodeOptions
  private let clock: DecodeLimits.Stopwatch
  private let compositor: FrameCompositor
  /// Whether there may be memory for the picture.
  private var grant: DecodeLimits.Grant
  /// Frames for whose number it is known that there may be memory.
  private var checkedFrameCount = 0
  private var data = Data()
  private var walk: PNGWalk
  private var stream: PNGRowStream?
  private var mayStart = true
  /// The IDAT chunk that `stream` is fed from, how far it was given and its CRC computed.
  private var chunkStart = 0
  private var position = 0
  private var checksum: UInt32 = 0
  private var isImageDataSound = true
  private var isImageDataOver = false
  /// Rows that the last snapshot showed.
  private var shownRows = 0
  private var shownFirstFrame = false
  /// Frames that were complete when the bytes ended early: the one at hand is not.
  private var frameLimit = Int.max
  /// Passes of the whole picture, once there is one.
  private var finalPasses = 0
  /// What went wrong when nobody could be told.
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
    // Chunks that say something about colours come before the image data.
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

  /// The first frame; `nil` when it is damaged, which is to be said at the end.
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
    // Only who decodes row by row knows. From now on they are painted when they arrive.
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
    // The time limit is that of a pass over frames: who plays asks for them again and again.
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
    // Those that have come: others cost nothing yet.
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
      // Rows of sound data are the image. Whatever is wrong, the decoder of whole files finds and judges.
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

  /// The structure as far as it is known, once the image data begins: then all that describes the image is there.
  private var visibleStructure: PNGStructure? {
    guard var structure = walk.structure, !structure.isBeforeImageData || imageDataHasBegun else {
      return nil
    }
    // The frames are those whose data are there to the end: what they lack is not to come.
    if structure.animation == nil { structure.end(animation: walk.frames?.current, isTruncated: false) }
    return structure
  }

  /// Whether the walk stands before the first IDAT chunk, which is not complete yet.
  private var imageDataHasBegun: Bool {
    data.withUnsafeBytes { bytes in
      var cursor = PNGChunkCursor(bytes, from: walk.offset)
      return (try? cursor.next())?.type == .imageData
    }
  }

  /// Whether the default image is what a decode of all bytes is going to deliver, as far as can be known.
  private var showsDefaultImage: Bool {
    guard let frames = walk.frames, frames.hasAnimation else { return true }
    return frames.startsWithDefaultImage
  }

  /// Whether the image is decoded row by row in any case, so that it can as well be done now.
  private func mustStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let structure = visibleStructure, showsDefaultImage else { return false }
    let format = PNGFile(bytes: bytes, structure: structure, options: options).format
    guard let inflated = try? structure.header.inflatedBytes(PNGPass.all(of: structure.header)) else {
      return false
    }
    if inflated <= PNGInflation.spareLimit { return false }
    return (try? PNGPixelReader.spare(for: structure, format: format)) == 0
  }

  /// Takes memory for the picture; `false` when more bytes have to come first.
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

  /// Gives the stream what is there of the IDAT chunks that it has not seen.
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
      // The CRC covers the type, too.
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
    // The bytes are not changed while they are read.
    return try data.withUnsafeBytes { bytes in
      Result { () throws(ImagingError) in
        try clock.run { (watch) throws(ImagingError) in try body(bytes, watch) }
      }
    }.get()
  }
}
