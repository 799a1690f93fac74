/// A collector of the frames of an APNG during a walk over its chunks.
///
/// The first flaw ends the collection; frames before it are kept. Without an acTL chunk before the image data there is
/// no animation, regardless of other chunks.
struct PNGFrameCollector {
  private let canvas: PixelSize
  private let limits: DecodeLimits
  private var animation: PNGAnimation?
  private var pending: PNGFrame?
  private var pendingHasPixels = false
  private var nextSequence: UInt32 = 0
  private var seenImageData = false
  private var isStopped = false

  init(canvas: PixelSize, limits: DecodeLimits) {
    self.canvas = canvas
    self.limits = limits
  }

  /// The complete frames, while more may follow; `nil` without an animation.
  var current: PNGAnimation? {
    guard var animation else { return nil }
    let surplus = animation.frames.count - animation.announcedFrames
    // The property is read after each piece of a file: usually nothing is copied.
    if surplus > 0 { animation.frames.removeLast(surplus) }
    return animation
  }

  /// A Boolean value that indicates whether the default image is (so far) the first frame.
  var startsWithDefaultImage: Bool { (animation?.frames.first ?? pending)?.pixels == .imageData }

  /// The number of frames and of plays in the acTL chunk; `nil` without one.
  var announced: (count: Int, plays: Int)? { animation.map { ($0.announcedFrames, $0.plays) } }

  /// A Boolean value that indicates whether there was an acTL chunk.
  var hasAnimation: Bool { animation != nil }

  /// Adds the next chunk.
  ///
  /// - Throws: `limitExceeded` for too many frames.
  mutating func add(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    guard !isStopped else { return }
    do throws(ImagingError) {
      switch chunk.type {
      case .animationControl: readControl(chunk, cursor)
      case .frameControl: try readFrame(chunk, cursor)
      case .imageData:
        seenImageData = true
        if pending?.pixels == .imageData { pendingHasPixels = true }
      case .frameData: try readFrameData(chunk, cursor)
      case .end:
        if pendingHasPixels { closeFrame() }
      default: break
      }
    } catch {
      if case .limitExceeded = error { throw error }
      stop(error)
    }
  }

  /// Ends the collection because of damage. The current frame stays if it has pixels: they may be complete.
  mutating func stop(_ damage: ImagingError) {
    guard !isStopped else { return }
    closeFrame()
    isStopped = true
    animation?.damage = damage
  }

  /// Returns the animation after the last chunk. `truncatedAt` is the length of the input if it ended early.
  mutating func finish(truncatedAt byteCount: Int?) -> PNGAnimation? {
    if let byteCount {
      stop(.truncated(.apng, byteCount: byteCount))
    } else if !isStopped {
      if pending != nil && !pendingHasPixels {
        stop(.corrupt(.apng, reason: "the last frame has no data", offset: nil))
      }
      closeFrame()
    }
    guard var animation else { return nil }
    let announced = animation.announcedFrames
    if animation.damage == nil && animation.frames.count != announced {
      animation.damage = .corrupt(
        .apng, reason: "\(announced) frames are announced, \(animation.frames.count) are there", offset: nil)
    }
    animation.frames.removeLast(max(0, animation.frames.count - announced))
    return animation
  }

  private mutating func readControl(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) {
    guard animation == nil, !seenImageData, chunk.payload.count == 8, cursor.hasValidCRC(chunk) else {
      return
    }
    let announced = cursor.bytes.bigEndian32(at: chunk.payload.lowerBound)
    guard announced > 0 else { return }
    animation = PNGAnimation(
      plays: Int(cursor.bytes.bigEndian32(at: chunk.payload.lowerBound + 4)), announcedFrames: Int(announced))
  }

  private mutating func readFrame(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    // The input ends here: the caller reports that.
    guard chunk.isComplete else { return }
    let offset = chunk.range.lowerBound
    guard pending == nil || pendingHasPixels else {
      throw .corrupt(.apng, reason: "a frame has no data", offset: offset)
    }
    guard cursor.hasValidCRC(chunk) else {
      throw .corrupt(.apng, reason: "the CRC of an fcTL chunk is wrong", offset: offset)
    }
    var frame = try PNGFrame(cursor.bytes, payload: chunk.payload, canvas: canvas)
    try checkSequence(chunk, cursor)
    closeFrame()
    if seenImageData {
      frame.pixels = .frameData(chunk.range.upperBound..<chunk.range.upperBound)
    } else if frame.size != canvas {
      throw .corrupt(
        .apng, reason: "the default image is a frame, but not of the canvas' size", offset: offset)
    }
    let count = (animation?.frames.count ?? 0) + 1
    try limits.check(frameCount: count)
    pending = frame
    pendingHasPixels = false
  }

  private mutating func readFrameData(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    let offset = chunk.range.lowerBound
    guard chunk.payload.count >= 4 else {
      if !chunk.isComplete { return }
      throw .corrupt(.apng, reason: "an fdAT chunk has no sequence number", offset: offset)
    }
    guard case .frameData(let range) = pending?.pixels else {
      throw .corrupt(.apng, reason: "an fdAT chunk belongs to no frame", offset: offset)
    }
    try checkSequence(chunk, cursor)
    let start = pendingHasPixels ? range.lowerBound : offset
    pending?.pixels = .frameData(start..<chunk.range.upperBound)
    pendingHasPixels = true
  }

  private mutating func checkSequence(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    let number = cursor.bytes.bigEndian32(at: chunk.payload.lowerBound)
    guard number == nextSequence else {
      throw .corrupt(
        .apng, reason: "sequence number \(number) instead of \(nextSequence)", offset: chunk.range.lowerBound)
    }
    // No input holds 2^32 chunks; the wrapping operator avoids an overflow check.
    nextSequence &+= 1
  }

  private mutating func closeFrame() {
    if let pending, pendingHasPixels { animation?.frames.append(pending) }
    pending = nil
    pendingHasPixels = false
  }
}
