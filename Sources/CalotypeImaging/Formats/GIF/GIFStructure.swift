/// The blocks of a GIF: what frames there are and where their bytes lie (GIF89a specification).
///
/// A walk over block headers that goes on where it stopped when more bytes have come; no pixel is decoded. Bytes
/// that start no block are skipped, as browsers do.
struct GIFStructure: Sendable {
  /// The logical screen, enlarged to hold the first frame if that sticks out: what Chromium shows. Later frames
  /// are clipped.
  private(set) var canvas = PixelSize(width: 0, height: 0)
  /// In stored order; never empty after ``finish(_:)``.
  private(set) var frames: [GIFFrame] = []
  /// Frames whose data are there to the end.
  private(set) var completeFrameCount = 0
  /// The first of the frames; there must be one.
  var firstFrame: GIFFrame { frames[0] }
  /// Times the animation plays, 0 for ever.
  private(set) var plays = 1
  /// What all frames take.
  private(set) var work = ImageInfo.Layout.Frames()
  /// Whether any frame declares a transparent index.
  private(set) var hasTransparency = false
  /// Whether the bytes end inside a block. A missing trailer alone does not count. Known in the end.
  private(set) var isTruncated = false

  private let limits: DecodeLimits
  private var globalPalette: Range<Int>?
  private var control = GraphicControl()
  private var offset = 0
  private var state = State.header

  /// The fields of a graphic control block, kept for the next image.
  private struct GraphicControl {
    var delay = 0
    var disposal = FrameDisposal.keep
    var transparentIndex: UInt8?
  }

  /// What the byte at `offset` belongs to.
  private enum State {
    case header
    case blocks
    /// The sub-blocks of the last frame.
    case frameData
    /// The sub-blocks of an extension.
    case extensionData(label: UInt8, start: Int)
    case trailer
  }

  /// A structure that knows nothing yet. Call ``read(_:)``, then ``finish(_:)``.
  init(limits: DecodeLimits) {
    self.limits = limits
  }

  /// The structure of a whole file.
  ///
  /// - Throws: as ``read(_:)`` and ``finish(_:)``.
  init(_ bytes: RawSpan, limits: DecodeLimits) throws(ImagingError) {
    self.init(limits: limits)
    try finish(bytes)
  }

  /// Goes on as far as the bytes reach: all bytes from the first on, of which those of earlier calls are known.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``, ``ImagingError/cancelled``.
  mutating func read(_ bytes: RawSpan) throws(ImagingError) {
    var steps = 0
    while try step(bytes) {
      steps &+= 1
      if steps & 0xFFFF == 0, Task.isCancelled { throw .cancelled }
    }
  }

  /// How many bytes there have to be for ``read(_:)`` to find anything new; `count` are there.
  func nextCount(after count: Int) -> Int {
    if case .trailer = state { return .max }
    return max(count, offset) + 1
  }

  /// Says that no more bytes come.
  ///
  /// - Throws: as ``read(_:)``; ``ImagingError/truncated(_:byteCount:)`` or
  ///   ``ImagingError/corrupt(_:reason:offset:)`` when there is no frame.
  mutating func finish(_ bytes: RawSpan) throws(ImagingError) {
    try read(bytes)
    switch state {
    case .header:
      guard Self.isSignature(bytes) else { throw .unrecognizedFormat(hint: nil) }
      isTruncated = true
    case .blocks:
      // Not at the end: a block has begun. Behind the end: the palette did not fit.
      isTruncated = offset != bytes.byteCount
    case .frameData:
      isTruncated = true
    case .extensionData(let label, let start):
      isTruncated = true
      apply(bytes, label: label, start: start)
    case .trailer: break
    }
    guard frames.isEmpty else { return }
    if isTruncated { throw .truncated(.gif, byteCount: bytes.byteCount) }
    throw .corrupt(.gif, reason: "there is no image in it", offset: bytes.byteCount)
  }

  /// Does one block, or goes on with one; `false` when more bytes are needed, or none.
  private mutating func step(_ bytes: RawSpan) throws(ImagingError) -> Bool {
    switch state {
    case .header:
      return try readHeader(bytes)
    case .blocks:
      guard let introducer = bytes.byte(at: offset) else { return false }
      switch introducer {
      case 0x2C:
        guard bytes.byteCount - offset >= 10 else { return false }
        try addFrame(bytes)
        state = .frameData
      case 0x21:
        guard let label = bytes.byte(at: offset + 1) else { return false }
        offset += 2
        state = .extensionData(label: label, start: offset)
      case 0x3B:
        state = .trailer
      default:
        offset += 1
      }
      return true
    case .frameData:
      guard skipSubBlocks(bytes) else { return false }
      completeFrameCount = frames.count
    case .extensionData(let label, let start):
      guard skipSubBlocks(bytes) else { return false }
      apply(bytes, label: label, start: start)
    case .trailer:
      return false
    }
    state = .blocks
    return true
  }

  private static func isSignature(_ bytes: RawSpan) -> Bool {
    bytes.holds("GIF87a") || bytes.holds("GIF89a")
  }

  private mutating func readHeader(_ bytes: RawSpan) throws(ImagingError) -> Bool {
    if bytes.byteCount >= 6, !Self.isSignature(bytes) { throw .unrecognizedFormat(hint: nil) }
    guard bytes.byteCount >= 13, let width = bytes.word(at: 6), let height = bytes.word(at: 8),
      let flags = bytes.byte(at: 10)
    else { return false }
    canvas = PixelSize(width: width, height: height)
    offset = 13
    if flags & 0x80 != 0 {
      let length = 3 << (Int(flags & 7) + 1)
      globalPalette = offset..<offset + length
      offset += length
    }
    state = .blocks
    return true
  }

  /// Appends the frame whose descriptor is at `offset` and goes to its first sub-block.
  private mutating func addFrame(_ bytes: RawSpan) throws(ImagingError) {
    try limits.check(frameCount: frames.count + 1)
    let flags = bytes.byte(at: offset + 9) ?? 0
    var next = offset + 10
    var palette = globalPalette
    if flags & 0x80 != 0 {
      let length = 3 << (Int(flags & 7) + 1)
      palette = next..<next + length
      next += length
    }
    let frame = GIFFrame(
      x: bytes.word(at: offset + 1) ?? 0, y: bytes.word(at: offset + 3) ?? 0,
      size: PixelSize(
        width: bytes.word(at: offset + 5) ?? 0, height: bytes.word(at: offset + 7) ?? 0),
      isInterlaced: flags & 0x40 != 0, palette: palette, dataStart: next + 1, delay: control.delay,
      disposal: control.disposal, transparentIndex: control.transparentIndex)
    if frames.isEmpty {
      canvas.width = max(canvas.width, frame.x + frame.size.width)
      canvas.height = max(canvas.height, frame.y + frame.size.height)
      try limits.check(size: canvas, format: .gif)
    }
    // Only the first frame is within the canvas for sure, and all are decoded whole.
    guard frame.size.pixelCount <= limits.maxPixels else {
      throw .limitExceeded(.pixels, value: frame.size.pixelCount, limit: limits.maxPixels)
    }
    frames.append(frame)
    work.add(
      stored: frame.size.pixelCount, on: canvas.pixelCount,
      beside: frame.disposal == .restore ? canvas.pixelCount : 0)
    if control.transparentIndex != nil { hasTransparency = true }
    control = GraphicControl()
    offset = next + 1
  }

  /// Goes behind the terminator of a chain of sub-blocks; `false` when the bytes end before it.
  private mutating func skipSubBlocks(_ bytes: RawSpan) -> Bool {
    while let length = bytes.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { return true }
    }
    return false
  }

  private mutating func apply(_ bytes: RawSpan, label: UInt8, start: Int) {
    if label == 0xF9, let found = Self.graphicControl(bytes, at: start) { control = found }
    if label == 0xFF, let found = Self.plays(bytes, at: start) { plays = found }
  }

  private static func graphicControl(_ bytes: RawSpan, at offset: Int) -> GraphicControl? {
    guard let length = bytes.byte(at: offset), length >= 4, let flags = bytes.byte(at: offset + 1),
      let delay = bytes.word(at: offset + 2), let index = bytes.byte(at: offset + 4)
    else { return nil }
    return GraphicControl(
      delay: delay, disposal: FrameDisposal(gif: flags >> 2 & 7),
      transparentIndex: flags & 1 != 0 ? index : nil)
  }

  /// The loop block of Netscape 2.0: N repeats after the first play, 0 for ever.
  private static func plays(_ bytes: RawSpan, at offset: Int) -> Int? {
    guard bytes.byte(at: offset) == 11,
      bytes.holds("NETSCAPE2.0", at: offset + 1) || bytes.holds("ANIMEXTS1.0", at: offset + 1)
    else { return nil }
    // Sub-block 1 is the loop count; others, such as 2 (a buffer size), may come before it.
    var block = offset + 12
    while let length = bytes.byte(at: block), length > 0 {
      if length >= 3, let id = bytes.byte(at: block + 1), id & 7 == 1,
        let repeats = bytes.word(at: block + 2)
      {
        return repeats == 0 ? 0 : repeats + 1
      }
      block += 1 + Int(length)
    }
    return nil
  }
}

extension GIFStructure {
  /// What the blocks say, in the terms of all formats.
  var info: ImageInfo {
    let isAnimated = frames.count > 1
    var info = ImageInfo(
      format: .gif, size: canvas, frameCount: frames.count, loopCount: isAnimated ? plays : 1,
      durations: isAnimated ? frames.map { .milliseconds($0.duration) } : [], hasAlpha: hasTransparency)
    info.layout = ImageInfo.Layout(self)
    return info
  }

  /// An image of this file.
  func image(_ bitmap: Bitmap, _ flaws: DamageReport) -> Image {
    Image(bitmap: bitmap, info: info.marked(flaws), isPartial: flaws.contains(.partial))
  }

  /// The part of a frame that lies on the canvas: columns and rows of the canvas, empty if there are none.
  func visibleArea(of frame: GIFFrame) -> (columns: Range<Int>, rows: Range<Int>) {
    let right = min(frame.x + frame.size.width, canvas.width)
    let bottom = min(frame.y + frame.size.height, canvas.height)
    return (min(frame.x, right)..<right, min(frame.y, bottom)..<bottom)
  }

  /// Whether the rectangle of a frame is the whole canvas.
  func fillsCanvas(_ frame: GIFFrame) -> Bool {
    visibleArea(of: frame) == (0..<canvas.width, 0..<canvas.height)
  }
}

extension RawSpan {
  /// A little-endian 16-bit number.
  fileprivate func word(at offset: Int) -> Int? {
    uint16(at: offset, bigEndian: false).map { Int($0) }
  }
}
