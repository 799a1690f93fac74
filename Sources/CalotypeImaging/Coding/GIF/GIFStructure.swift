/// The blocks of a GIF: what frames there are and where their bytes lie (GIF89a specification).
///
/// A walk over block headers; no pixel is decoded. Bytes that start no block are skipped, as browsers do.
struct GIFStructure: Sendable {
  /// The logical screen, enlarged to hold the first frame if that sticks out: what Chromium shows. Later frames
  /// are clipped.
  private(set) var canvas: PixelSize
  /// In stored order; never empty.
  private(set) var frames: [GIFFrame] = []
  /// The first of the frames.
  var firstFrame: GIFFrame { frames[0] }
  /// Times the animation plays, 0 for ever.
  private(set) var plays = 1
  /// Whether any frame declares a transparent index.
  private(set) var hasTransparency = false
  /// Whether the bytes end inside a block. A missing trailer alone does not count.
  private(set) var isTruncated = false

  private var globalPalette: Range<Int>?

  /// The fields of a graphic control block, kept for the next image.
  private struct GraphicControl {
    var delay = 0
    var disposal = GIFFrame.Disposal.keep
    var transparentIndex: UInt8?
  }

  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` or ``ImagingError/corrupt(_:reason:offset:)`` when there is
  ///   no frame, ``ImagingError/limitExceeded(_:value:limit:)``.
  init(_ bytes: RawSpan, limits: DecodeLimits) throws(ImagingError) {
    guard bytes.holds("GIF87a", at: 0) || bytes.holds("GIF89a", at: 0) else {
      throw .unrecognizedFormat(hint: nil)
    }
    guard let width = bytes.word(at: 6), let height = bytes.word(at: 8),
      let flags = bytes.byte(at: 10), bytes.byteCount >= 13
    else { throw .truncated(.gif, byteCount: bytes.byteCount) }
    canvas = PixelSize(width: width, height: height)

    var offset = 13
    if flags & 0x80 != 0 {
      let length = 3 << (Int(flags & 7) + 1)
      globalPalette = offset..<offset + length
      offset += length
    }
    try walk(bytes, from: offset, limits: limits)

    guard let first = frames.first else {
      if isTruncated { throw .truncated(.gif, byteCount: bytes.byteCount) }
      throw .corrupt(.gif, reason: "there is no image in it", offset: bytes.byteCount)
    }
    canvas.width = max(canvas.width, first.x + first.size.width)
    canvas.height = max(canvas.height, first.y + first.size.height)
    try limits.check(size: canvas, format: .gif)
    // Only the first frame is within the canvas for sure, and all are decoded whole.
    for frame in frames where frame.size.pixelCount > limits.maxPixels {
      throw .limitExceeded(.pixels, value: frame.size.pixelCount, limit: limits.maxPixels)
    }
  }

  private mutating func walk(
    _ bytes: RawSpan, from start: Int, limits: DecodeLimits
  ) throws(ImagingError) {
    var offset = start
    var control = GraphicControl()
    while let introducer = bytes.byte(at: offset) {
      switch introducer {
      case 0x2C:
        guard bytes.byteCount - offset >= 10 else {
          isTruncated = true
          return
        }
        try limits.check(frameCount: frames.count + 1)
        offset = addFrame(bytes, at: offset, control: control)
        control = GraphicControl()
      case 0x21:
        guard let label = bytes.byte(at: offset + 1) else {
          isTruncated = true
          return
        }
        if label == 0xF9, let found = Self.graphicControl(bytes, at: offset + 2) { control = found }
        if label == 0xFF, let found = Self.plays(bytes, at: offset + 2) { plays = found }
        offset = skipSubBlocks(bytes, from: offset + 2)
      case 0x3B:
        return
      default:
        offset += 1
      }
    }
    // Past the end means that a palette or a sub-block did not fit.
    if offset > bytes.byteCount { isTruncated = true }
  }

  /// Appends the frame whose descriptor is at `offset` and returns where the next block begins.
  private mutating func addFrame(_ bytes: RawSpan, at offset: Int, control: GraphicControl) -> Int {
    let flags = bytes.byte(at: offset + 9) ?? 0
    var next = offset + 10
    var palette = globalPalette
    if flags & 0x80 != 0 {
      let length = 3 << (Int(flags & 7) + 1)
      palette = next..<next + length
      next += length
    }
    frames.append(
      GIFFrame(
        x: bytes.word(at: offset + 1) ?? 0, y: bytes.word(at: offset + 3) ?? 0,
        size: PixelSize(
          width: bytes.word(at: offset + 5) ?? 0, height: bytes.word(at: offset + 7) ?? 0),
        isInterlaced: flags & 0x40 != 0, palette: palette, minimumCodeSize: bytes.byte(at: next),
        dataStart: next + 1, delay: control.delay, disposal: control.disposal,
        transparentIndex: control.transparentIndex))
    if control.transparentIndex != nil { hasTransparency = true }
    return skipSubBlocks(bytes, from: next + 1)
  }

  /// The offset behind the terminator of a chain of sub-blocks; notes when the bytes end before it.
  private mutating func skipSubBlocks(_ bytes: RawSpan, from start: Int) -> Int {
    var offset = start
    while let length = bytes.byte(at: offset) {
      offset += 1 + Int(length)
      if length == 0 { return offset }
    }
    isTruncated = true
    return offset
  }

  private static func graphicControl(_ bytes: RawSpan, at offset: Int) -> GraphicControl? {
    guard let length = bytes.byte(at: offset), length >= 4, let flags = bytes.byte(at: offset + 1),
      let delay = bytes.word(at: offset + 2), let index = bytes.byte(at: offset + 4)
    else { return nil }
    return GraphicControl(
      delay: delay, disposal: GIFFrame.Disposal(rawValue: flags >> 2 & 7),
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

extension RawSpan {
  /// A little-endian 16-bit number.
  fileprivate func word(at offset: Int) -> Int? {
    uint16(at: offset, bigEndian: false).map { Int($0) }
  }
}
