/// The structure of a GIF: its frames and the locations of their bytes (GIF89a specification).
///
/// It is a walk over block headers that resumes when more bytes have arrived; no pixel is decoded. Bytes that start no
/// block are skipped, as browsers do.
struct GIFStructure: Sendable {
  /// The logical screen, enlarged to hold the first frame, as Chromium does. Later frames are clipped.
  private(set) var canvas = PixelSize(width: 0, height: 0)
  /// The frames in stored order; never empty after ``finish(_:)``.
  private(set) var frames: [GIFFrame] = []
  /// The number of frames with complete data.
  private(set) var completeFrameCount = 0
  /// The first frame; there must be one.
  var firstFrame: GIFFrame { frames[0] }
  /// The number of plays; 0 repeats for ever.
  private(set) var plays = 1
  /// The work of decoding all frames.
  private(set) var work = ImageInfo.Layout.Frames()
  /// A Boolean value that indicates whether any frame declares a transparent index.
  private(set) var hasTransparency = false
  /// A Boolean value that indicates whether the bytes end inside a block. A missing trailer alone does not count. Known
  /// after ``finish(_:)``.
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

  /// The context of the byte at `offset`.
  private enum State {
    case header
    case blocks
    /// The sub-blocks of the last frame.
    case frameData
    /// The sub-blocks of an extension.
    case extensionData(label: UInt8, start: Int)
    case trailer
  }

  /// Creates an empty structure. Call ``read(_:)``, then ``finish(_:)``.
  init(limits: DecodeLimits) {
    self.limits = limits
  }

  /// Reads the structure of a whole file.
  ///
  /// - Throws: The errors of ``read(_:)`` and ``finish(_:)``.
  init(_ bytes: RawSpan, limits: DecodeLimits) throws(ImagingError) {
    self.init(limits: limits)
    try finish(bytes)
  }

  /// Reads as far as the bytes reach; they are the file from its beginning, including the bytes of earlier calls.
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

  /// Returns the number of bytes at which ``read(_:)`` can find anything new; `count` are present.
  func nextCount(after count: Int) -> Int {
    if case .trailer = state { return .max }
    return max(count, offset) + 1
  }

  /// Ends the input.
  ///
  /// - Throws: The errors of ``read(_:)``; ``ImagingError/truncated(_:byteCount:)`` or
  ///   ``ImagingError/corrupt(_:reason:offset:)`` if there is no frame.
  mutating func finish(_ bytes: RawSpan) throws(ImagingError) {
    try read(bytes)
    switch state {
    case .header:
      guard Self.isSignature(bytes) else { throw .unrecognizedFormat(hint: nil) }
      isTruncated = true
    case .blocks:
      // An offset before the end means an incomplete block, one behind the end an incomplete palette.
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

  /// A Boolean value that indicates whether the trailer was read, behind which nothing belongs to the image.
  var hasTrailer: Bool { if case .trailer = state { true } else { false } }

  /// Reads or resumes one block; `false` if more bytes are needed, or none.
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

  /// Appends the frame whose descriptor is at `offset` and moves to its first sub-block.
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
    // Only the first frame is certain to lie within the canvas, and all are decoded completely.
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

  /// Moves behind the terminator of a chain of sub-blocks; `false` if the bytes end before it.
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

  /// Reads the loop block of Netscape 2.0: N repeats after the first play, 0 for ever.
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
  /// The information in the blocks.
  var info: ImageInfo {
    let isAnimated = frames.count > 1
    var info = ImageInfo(
      format: .gif, size: canvas, frameCount: frames.count, loopCount: isAnimated ? plays : 1,
      durations: isAnimated ? frames.map { .milliseconds($0.duration) } : [], hasAlpha: hasTransparency)
    info.layout = ImageInfo.Layout(self)
    return info
  }

  /// Returns an image of this file.
  func image(_ bitmap: Bitmap, _ flaws: DamageReport) -> Image {
    Image(bitmap: bitmap, info: info.marked(flaws), isPartial: flaws.contains(.partial))
  }

  /// Returns the part of a frame that lies on the canvas: columns and rows of the canvas, empty if there are none.
  func visibleArea(of frame: GIFFrame) -> (columns: Range<Int>, rows: Range<Int>) {
    let right = min(frame.x + frame.size.width, canvas.width)
    let bottom = min(frame.y + frame.size.height, canvas.height)
    return (min(frame.x, right)..<right, min(frame.y, bottom)..<bottom)
  }

  /// Returns true if the rectangle of a frame is the whole canvas.
  func fillsCanvas(_ frame: GIFFrame) -> Bool {
    visibleArea(of: frame) == (0..<canvas.width, 0..<canvas.height)
  }
}

extension RawSpan {
  /// Reads a little-endian 16-bit number.
  fileprivate func word(at offset: Int) -> Int? {
    uint16(at: offset, bigEndian: false).map { Int($0) }
  }
}
