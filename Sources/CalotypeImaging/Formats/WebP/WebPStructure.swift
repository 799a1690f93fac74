import CWebP

/// The structure of a WebP: its pictures and the locations of their bytes (RFC 9649, 2.3 to 2.7).
///
/// It is a walk over chunk headers that resumes when more bytes have arrived; no pixel is decoded. Unknown chunks and
/// bytes behind the RIFF chunk are skipped. Metadata chunks count even if the flags do not announce them, because some
/// writers forget to.
struct WebPStructure: Sendable {
  /// The width and height of the canvas.
  private(set) var canvas = PixelSize(width: 0, height: 0)
  /// The frames in stored order; never empty after ``finish(_:)``. One frame for a still.
  private(set) var frames: [WebPFrame] = []
  /// The number of frames with complete data.
  private(set) var completeFrameCount = 0
  /// The first frame; there must be one.
  var firstFrame: WebPFrame { frames[0] }
  /// The number of plays; 0 repeats for ever.
  private(set) var plays = 1
  /// The work of decoding all frames.
  private(set) var work = ImageInfo.Layout.Frames()
  /// A Boolean value that indicates whether the file declares alpha, by its flags or in any bitstream.
  private(set) var hasAlpha = false
  /// The payloads of the `EXIF`, `ICCP` and `XMP ` chunks, as stored.
  private(set) var exif: Range<Int>?, colorProfile: Range<Int>?, xmp: Range<Int>?
  /// A Boolean value that indicates whether the RIFF chunk extends beyond the end of the bytes. Known after
  /// ``finish(_:)``.
  private(set) var isTruncated = false

  private let limits: DecodeLimits
  private var isExtended = false
  private var announcesExif = false
  private var announcesXMP = false
  private var isAnimated = false
  private var hasAnimationHeader = false
  private var state = State.header
  /// The offset of the next chunk.
  private var offset = 0
  /// The end of the RIFF chunk.
  private var end = 0
  /// The offset of the `ALPH` chunk of a still.
  private var alpha: Int?

  /// The context of the byte at `offset`.
  private enum State {
    case header
    case chunks
    /// The chunks of a frame, before its picture.
    case frame(WebPFrame, Chunk, alpha: Int?)
    case end
  }

  /// Creates an empty structure. Call ``read(_:)``, then ``finish(_:)``.
  init(limits: DecodeLimits) {
    self.limits = limits
  }

  /// Reads the structure of a whole file.
  ///
  /// - Throws: The errors of ``read(_:)`` and ``finish(_:)``.
  init(_ file: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    self.init(limits: limits)
    try finish(file)
  }

  /// Reads as far as the bytes reach; they are the file from its beginning, including the bytes of earlier calls.
  ///
  /// - Throws: ``ImagingError/unrecognizedFormat(hint:)``, ``ImagingError/corrupt(_:reason:offset:)``,
  ///   ``ImagingError/limitExceeded(_:value:limit:)``.
  mutating func read(_ file: UnsafeRawBufferPointer) throws(ImagingError) {
    while try step(file) {}
    while completeFrameCount < frames.count,
      frames[completeFrameCount].payload.upperBound <= file.count
    {
      completeFrameCount += 1
    }
  }

  /// Returns the number of bytes at which ``read(_:)`` can find anything new; `count` are present.
  func nextCount(after count: Int) -> Int {
    var next = Int.max
    if completeFrameCount < frames.count { next = frames[completeFrameCount].payload.upperBound }
    switch state {
    case .header: next = 12
    case .chunks, .frame: next = min(next, offset + 8)
    case .end: break
    }
    return max(next, count + 1)
  }

  /// Ends the input.
  ///
  /// - Throws: The errors of ``read(_:)``; ``ImagingError/truncated(_:byteCount:)`` or
  ///   ``ImagingError/corrupt(_:reason:offset:)`` if there is no header of a picture.
  mutating func finish(_ file: UnsafeRawBufferPointer) throws(ImagingError) {
    try read(file)
    if case .header = state {
      guard file.bytes.holds("RIFF"), file.bytes.holds("WEBP", at: 8) else {
        throw .unrecognizedFormat(hint: nil)
      }
    }
    isTruncated = end > file.count
    guard frames.isEmpty else { return }
    if isTruncated { throw .truncated(.webp, byteCount: file.count) }
    throw .corrupt(.webp, reason: "there is no image in it", offset: file.count)
  }

  /// Returns the header as far as it was read; `nil` if more bytes are needed. A still image with an alpha channel has it
  /// before the header of its picture, which then only repeats the size of the canvas.
  func header(of file: UnsafeRawBufferPointer) -> ImageHeader? {
    guard canvas.width > 0, !frames.isEmpty || !isAnimated, !frames.isEmpty || alpha != nil else {
      return nil
    }
    var info = info(of: file)
    info.frameCount = max(1, info.frameCount)
    let isAtEnd = if case .end = state { true } else { false }
    return ImageHeader(info: info, hasAllFrames: !isAnimated || isAtEnd)
  }

  /// Returns whether the header announces Exif or XMP, which come behind the pixels, that is not in the bytes so far.
  func lacksMetadata(_ file: UnsafeRawBufferPointer) -> Bool {
    if case .end = state { return false }
    func isThere(_ range: Range<Int>?) -> Bool { range.map { $0.upperBound <= file.count } ?? false }
    return announcesExif && !isThere(exif) || announcesXMP && !isThere(xmp)
  }

  /// The largest length of a chunk that leaves room for its header and padding.
  private static let maxPayload = Int(UInt32.max) - 8 - 1

  /// The stored range of a chunk's payload, which may extend beyond the file.
  private struct Chunk {
    var header: Int
    var payload: Range<Int>
    /// The offset of the next chunk: payloads are padded to an even length.
    var next: Int { payload.upperBound + payload.count & 1 }
  }

  /// Reads or resumes one chunk; `false` if more bytes are needed, or none.
  private mutating func step(_ file: UnsafeRawBufferPointer) throws(ImagingError) -> Bool {
    let bytes = file.bytes
    switch state {
    case .header:
      return try readHeader(bytes)
    case .chunks:
      guard offset + 8 <= end else {
        state = .end
        return false
      }
      guard let chunk = try chunk(bytes, end: end), try read(chunk, of: file) else { return false }
      return true
    case .frame(let frame, let chunk, let alpha):
      return try readPicture(of: frame, in: chunk, alpha: alpha, file)
    case .end:
      return false
    }
  }

  private mutating func readHeader(_ bytes: RawSpan) throws(ImagingError) -> Bool {
    guard bytes.byteCount >= 12, let length = bytes.dword(at: 4) else { return false }
    guard bytes.holds("RIFF"), bytes.holds("WEBP", at: 8) else { throw .unrecognizedFormat(hint: nil) }
    guard length >= 12, length <= Self.maxPayload else {
      throw .corrupt(.webp, reason: "the RIFF chunk has an impossible length of \(length)", offset: 4)
    }
    offset = 12
    end = 8 + length
    state = .chunks
    return true
  }

  /// Returns the chunk at `offset`; `nil` if its header is incomplete.
  private func chunk(_ bytes: RawSpan, end: Int) throws(ImagingError) -> Chunk? {
    guard let length = bytes.dword(at: offset + 4) else { return nil }
    guard length <= Self.maxPayload, offset + 8 + length <= end else {
      throw .corrupt(.webp, reason: "a chunk reaches beyond the one that holds it", offset: offset)
    }
    return Chunk(header: offset, payload: offset + 8..<offset + 8 + length)
  }

  /// Reads a chunk of the file and moves to the next; `false` if more bytes are needed.
  private mutating func read(_ chunk: Chunk, of file: UnsafeRawBufferPointer) throws(ImagingError) -> Bool {
    let bytes = file.bytes
    if offset == 12, bytes.holds("VP8X", at: offset) {
      guard try readExtendedHeader(bytes, chunk) else { return false }
    } else if bytes.holds("VP8 ", at: offset) || bytes.holds("VP8L", at: offset) {
      if !isAnimated, frames.isEmpty {
        let isLossless = bytes.holds("VP8L", at: offset)
        guard
          let frame = try bitstream(
            file, from: isLossless ? offset : alpha ?? offset, to: chunk.payload.upperBound)
        else { return false }
        try addStill(frame, at: offset)
      }
    } else if offset == 12 {
      throw .corrupt(.webp, reason: "the first chunk is none of VP8, VP8L and VP8X", offset: offset)
    } else if bytes.holds("ALPH", at: offset) {
      if alpha == nil { alpha = offset }
    } else if bytes.holds("ANIM", at: offset) {
      guard chunk.payload.count >= 6 else {
        throw .corrupt(.webp, reason: "the ANIM chunk is too short", offset: offset)
      }
      guard let count = bytes.uint16(at: chunk.payload.lowerBound + 4, bigEndian: false) else { return false }
      // The first chunk counts, as for libwebp.
      if !hasAnimationHeader { plays = Int(count) }
      hasAnimationHeader = true
    } else if bytes.holds("ANMF", at: offset), isAnimated {
      guard hasAnimationHeader else {
        throw .corrupt(.webp, reason: "there is a frame, but no ANIM chunk before it", offset: offset)
      }
      return try readFrameHeader(bytes, chunk)
    } else {
      // Larger chunks are ignored.
      let isKept = chunk.payload.count <= limits.maxChunkBytes
      if isKept, bytes.holds("EXIF", at: offset), exif == nil { exif = chunk.payload }
      if isKept, bytes.holds("ICCP", at: offset), colorProfile == nil { colorProfile = chunk.payload }
      if isKept, bytes.holds("XMP ", at: offset), xmp == nil { xmp = chunk.payload }
    }
    offset = chunk.next
    return true
  }

  /// Reads `VP8X`; `false` if the file ends within it.
  private mutating func readExtendedHeader(_ bytes: RawSpan, _ chunk: Chunk) throws(ImagingError) -> Bool {
    let start = chunk.payload.lowerBound
    guard chunk.payload.count >= 10 else {
      throw .corrupt(.webp, reason: "the VP8X chunk is too short", offset: chunk.header)
    }
    guard let flags = bytes.byte(at: start), let width = bytes.triple(at: start + 4),
      let height = bytes.triple(at: start + 7)
    else { return false }
    canvas = PixelSize(width: width + 1, height: height + 1)
    try limits.check(size: canvas, format: .webp)
    isExtended = true
    isAnimated = flags & 0x02 != 0
    hasAlpha = flags & 0x10 != 0
    announcesExif = flags & 0x08 != 0
    announcesXMP = flags & 0x04 != 0
    return true
  }

  private mutating func addStill(_ frame: WebPFrame, at offset: Int) throws(ImagingError) {
    if isExtended {
      guard frame.size == canvas else {
        throw .corrupt(.webp, reason: "a picture of \(frame.size) on a canvas of \(canvas)", offset: offset)
      }
    } else {
      canvas = frame.size
      try limits.check(size: canvas, format: .webp)
    }
    append(frame)
  }

  private mutating func append(_ frame: WebPFrame) {
    frames.append(frame)
    // Frames that blend are decoded beside the canvas; if damage is accepted, all are.
    let pixels = frame.size.pixelCount
    work.add(stored: pixels, on: canvas.pixelCount, beside: pixels, isLossless: frame.isLossless)
    hasAlpha = hasAlpha || frame.hasAlpha
  }

  /// Reads the header of `ANMF`; `false` if more bytes are needed.
  private mutating func readFrameHeader(_ bytes: RawSpan, _ chunk: Chunk) throws(ImagingError) -> Bool {
    let start = chunk.payload.lowerBound
    try limits.check(frameCount: frames.count + 1)
    guard chunk.payload.count >= 16 else {
      throw .corrupt(.webp, reason: "the ANMF chunk is too short", offset: chunk.header)
    }
    guard let x = bytes.triple(at: start), let y = bytes.triple(at: start + 3),
      let width = bytes.triple(at: start + 6), let height = bytes.triple(at: start + 9),
      let delay = bytes.triple(at: start + 12), let flags = bytes.byte(at: start + 15)
    else { return false }
    let size = PixelSize(width: width + 1, height: height + 1)
    guard 2 * x + size.width <= canvas.width, 2 * y + size.height <= canvas.height else {
      throw .corrupt(.webp, reason: "a frame sticks out of the canvas", offset: chunk.header)
    }
    let frame = WebPFrame(
      x: 2 * x, y: 2 * y, size: size, payload: start + 16..<chunk.payload.upperBound, hasAlpha: false,
      isLossless: false, delay: delay, clearsAfterwards: flags & 1 != 0, replaces: flags & 2 != 0)
    offset = start + 16
    state = .frame(frame, chunk, alpha: nil)
    return true
  }

  /// Reads one chunk within `ANMF`; `false` if more bytes are needed.
  private mutating func readPicture(
    of frame: WebPFrame, in chunk: Chunk, alpha: Int?, _ file: UnsafeRawBufferPointer
  ) throws(ImagingError) -> Bool {
    let bytes = file.bytes
    let end = chunk.payload.upperBound
    guard offset + 8 <= end else {
      if end > file.count { return false }
      throw .corrupt(.webp, reason: "a frame has no picture", offset: chunk.header)
    }
    guard let inner = try self.chunk(bytes, end: end) else { return false }
    let isLossless = bytes.holds("VP8L", at: offset)
    guard isLossless || bytes.holds("VP8 ", at: offset) else {
      let isAlpha = alpha == nil && bytes.holds("ALPH", at: offset)
      state = .frame(frame, chunk, alpha: isAlpha ? offset : alpha)
      offset = inner.next
      return true
    }
    guard
      let picture = try bitstream(
        file, from: isLossless ? offset : alpha ?? offset, to: inner.payload.upperBound)
    else { return false }
    guard picture.size == frame.size else {
      throw .corrupt(
        .webp, reason: "a frame of \(frame.size) holds a picture of \(picture.size)", offset: chunk.header)
    }
    var whole = frame
    whole.payload = picture.payload
    whole.hasAlpha = picture.hasAlpha
    whole.isLossless = picture.isLossless
    append(whole)
    state = .chunks
    offset = chunk.next
    return true
  }

  /// Reads the header of a bitstream; `nil` if the file ends within it.
  private func bitstream(
    _ file: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) throws(ImagingError) -> WebPFrame? {
    let source = UnsafeRawBufferPointer(rebasing: file[start..<min(end, file.count)])
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(
      source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &features)
    guard status == VP8_STATUS_OK else {
      if status == VP8_STATUS_NOT_ENOUGH_DATA, end > file.count { return nil }
      throw .corrupt(.webp, reason: "the header of a bitstream makes no sense", offset: start)
    }
    let size = PixelSize(width: Int(features.width), height: Int(features.height))
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(.webp, reason: "a picture of \(size) pixels", offset: start)
    }
    return WebPFrame(
      size: size, payload: start..<end, hasAlpha: features.has_alpha != 0, isLossless: features.format == 2)
  }
}

extension RawSpan {
  /// Reads a little-endian 24-bit number.
  fileprivate func triple(at offset: Int) -> Int? {
    guard let low = uint16(at: offset, bigEndian: false), let high = byte(at: offset + 2) else { return nil }
    return Int(low) | Int(high) << 16
  }

  /// Reads a little-endian 32-bit number.
  fileprivate func dword(at offset: Int) -> Int? {
    uint32(at: offset, bigEndian: false).map { Int($0) }
  }
}
