import CalotypeImaging

/// The animation of an APNG (PNG, third edition, 4.9 and 11.3.6) up to its first flaw.
struct APNGAnimation: Sendable {
  /// An fcTL chunk and the location of its pixels.
  struct Frame: Sendable {
    var area: FrameArea
    var duration: Int
    var disposal: CompositedFrame.Disposal
    var blends: Bool
    /// The range from the first to the last fdAT chunk; `nil` for the default image.
    var data: Range<Int>?
  }

  /// The number of plays; 0 repeats for ever.
  var plays: Int
  /// The number of frames in acTL.
  var announced: Int
  /// The frames before the first flaw.
  var frames: [Frame] = []
  /// The error that ended the frames.
  var damage: ImagingError?
}

/// A collector of the frames of an APNG during a walk over its chunks.
struct APNGFrames {
  private let canvas: PixelSize
  private let limits: DecodeLimits
  private var animation: APNGAnimation?
  /// A Boolean value that indicates whether an animation has been announced.
  var isAnimated: Bool { animation != nil }
  private var pending: APNGAnimation.Frame?
  private var hasPixels = false
  private var sequence: UInt32 = 0
  private var seenImageData = false
  private var isStopped = false

  init(canvas: PixelSize, limits: DecodeLimits) {
    (self.canvas, self.limits) = (canvas, limits)
  }

  /// Adds the next chunk.
  ///
  /// - Throws: `ImagingError.limitExceeded(_:value:limit:)` for too many frames.
  mutating func take(_ chunk: PNGChunks.Chunk, _ bytes: RawSpan) throws(ImagingError) {
    guard !isStopped else { return }
    let type = chunk.range.lowerBound + 4
    if bytes.holds("IDAT", at: type) {
      seenImageData = true
      if let pending, pending.data == nil { hasPixels = true }
    } else if bytes.holds("acTL", at: type) {
      takeControl(chunk, bytes)
    } else if bytes.holds("fcTL", at: type) {
      try takeFrame(chunk, bytes)
    } else if bytes.holds("fdAT", at: type) {
      takeData(chunk, bytes)
    }
  }

  /// Returns the animation after the last chunk.
  mutating func finished(byteCount: Int, isWhole: Bool) -> APNGAnimation? {
    if !isWhole {
      stop(.truncated(.apng, byteCount: byteCount))
    } else if pending != nil, !hasPixels {
      stop(.corrupt(.apng, reason: "the last frame has no data", offset: nil))
    }
    closeFrame()
    guard var animation else { return nil }
    let surplus = animation.frames.count - animation.announced
    if animation.damage == nil, surplus != 0 {
      animation.damage = .corrupt(
        .apng, reason: "\(animation.announced) frames are announced, \(animation.frames.count) are there",
        offset: nil)
    }
    animation.frames.removeLast(max(0, surplus))
    return animation
  }

  private mutating func takeControl(_ chunk: PNGChunks.Chunk, _ bytes: RawSpan) {
    guard animation == nil, !seenImageData, chunk.payload.count == 8, PNGChunks.isSound(chunk, bytes),
      let announced = bytes.uint32(at: chunk.payload.lowerBound, bigEndian: true), announced > 0,
      let plays = bytes.uint32(at: chunk.payload.lowerBound + 4, bigEndian: true)
    else { return }
    animation = APNGAnimation(plays: Int(plays), announced: Int(announced))
  }

  private mutating func takeFrame(_ chunk: PNGChunks.Chunk, _ bytes: RawSpan) throws(ImagingError) {
    guard pending == nil || hasPixels else { return stop(chunk, "a frame has no data") }
    guard PNGChunks.isSound(chunk, bytes) else { return stop(chunk, "the CRC of an fcTL chunk is wrong") }
    guard var frame = Self.frame(bytes.extracting(chunk.payload), canvas) else {
      return stop(chunk, "an fcTL chunk makes no sense")
    }
    guard isNext(chunk, bytes) else { return stop(chunk, "a wrong sequence number") }
    closeFrame()
    if seenImageData {
      frame.data = chunk.range.upperBound..<chunk.range.upperBound
    } else if !frame.area.covers(canvas) {
      return stop(chunk, "the default image is a frame, but not of the canvas' size")
    }
    try limits.check(frameCount: (animation?.frames.count ?? 0) + 1)
    (pending, hasPixels) = (frame, false)
  }

  private mutating func takeData(_ chunk: PNGChunks.Chunk, _ bytes: RawSpan) {
    guard chunk.payload.count >= 4 else { return stop(chunk, "an fdAT chunk has no sequence number") }
    guard let range = pending?.data else { return stop(chunk, "an fdAT chunk belongs to no frame") }
    guard isNext(chunk, bytes) else { return stop(chunk, "a wrong sequence number") }
    pending?.data = (hasPixels ? range.lowerBound : chunk.range.lowerBound)..<chunk.range.upperBound
    hasPixels = true
  }

  private mutating func isNext(_ chunk: PNGChunks.Chunk, _ bytes: RawSpan) -> Bool {
    defer { sequence &+= 1 }
    return bytes.uint32(at: chunk.payload.lowerBound, bigEndian: true) == sequence
  }

  private mutating func stop(_ chunk: PNGChunks.Chunk, _ reason: String) {
    stop(.corrupt(.apng, reason: reason, offset: chunk.range.lowerBound))
  }

  /// Ends the collection. The current frame stays if it has pixels: they may be complete.
  private mutating func stop(_ damage: ImagingError) {
    guard !isStopped else { return }
    closeFrame()
    isStopped = true
    animation?.damage = damage
  }

  private mutating func closeFrame() {
    if let pending, hasPixels { animation?.frames.append(pending) }
    (pending, hasPixels) = (nil, false)
  }

  /// Reads the 26 bytes of an fcTL chunk; `nil` if the frame leaves the canvas or an operation is unknown.
  private static func frame(_ chunk: RawSpan, _ canvas: PixelSize) -> APNGAnimation.Frame? {
    guard chunk.byteCount == 26, let width = chunk.uint32(at: 4, bigEndian: true),
      let height = chunk.uint32(at: 8, bigEndian: true), let left = chunk.uint32(at: 12, bigEndian: true),
      let top = chunk.uint32(at: 16, bigEndian: true)
    else { return nil }
    let size = PixelSize(width: Int(width), height: Int(height))
    let (x, y) = (Int(left), Int(top))
    guard size.width > 0, size.height > 0, x + size.width <= canvas.width, y + size.height <= canvas.height,
      let disposal = chunk.byte(at: 24), disposal <= 2, let blend = chunk.byte(at: 25), blend <= 1
    else { return nil }
    // The denominator 0 means hundredths; 10 ms or less means 100, as in browsers.
    let thousandths = Int(chunk.uint16(at: 20, bigEndian: true) ?? 0) * 1000
    let denominator = Int(chunk.uint16(at: 22, bigEndian: true) ?? 0)
    let divisor = denominator == 0 ? 100 : denominator
    return APNGAnimation.Frame(
      area: FrameArea(x: x, y: y, size: size),
      duration: thousandths <= 10 * divisor ? 100 : (thousandths + divisor / 2) / divisor,
      disposal: [.keep, .clear, .restore][Int(disposal)], blends: blend == 1)
  }
}
