import CWebP

/// The chunks of a WebP: what pictures there are and where their bytes lie (RFC 9649, 2.3 to 2.7).
///
/// A walk over chunk headers; no pixel is decoded. Unknown chunks and bytes behind the RIFF chunk are skipped.
/// Metadata chunks count whether or not the flags announce them, as some writers forget to.
struct WebPStructure: Sendable {
  /// Width and height of the canvas.
  private(set) var canvas = PixelSize(width: 0, height: 0)
  /// In stored order; never empty. One frame for a still.
  private(set) var frames: [WebPFrame] = []
  /// The first of the frames.
  var firstFrame: WebPFrame { frames[0] }
  /// Times the animation plays, 0 for ever.
  private(set) var plays = 1
  /// Whether the file declares alpha, by its flags or in any bitstream.
  private(set) var hasAlpha = false
  /// The payload of the `EXIF` chunk.
  private(set) var exif: Range<Int>?
  /// The payload of the `ICCP` chunk.
  private(set) var colorProfile: Range<Int>?
  /// Whether the RIFF chunk is announced longer than the bytes are.
  let isTruncated: Bool

  private let limits: DecodeLimits
  private let byteCount: Int
  private var isExtended = false
  private var isAnimated = false
  private var hasAnimationHeader = false

  /// - Throws: ``ImagingError/truncated(_:byteCount:)`` when no picture's header is there,
  ///   ``ImagingError/corrupt(_:reason:offset:)``, ``ImagingError/limitExceeded(_:value:limit:)``.
  init(_ file: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    let bytes = file.bytes
    self.limits = limits
    byteCount = bytes.byteCount
    guard bytes.holds("RIFF"), bytes.holds("WEBP", at: 8) else { throw .unrecognizedFormat(hint: nil) }
    guard let length = bytes.dword(at: 4) else { throw .truncated(.webp, byteCount: byteCount) }
    guard length >= 12, length <= Self.maxPayload else {
      throw .corrupt(.webp, reason: "the RIFF chunk has an impossible length of \(length)", offset: 4)
    }
    isTruncated = 8 + length > byteCount
    try walk(file, end: 8 + length)
    guard !frames.isEmpty else {
      if isTruncated { throw .truncated(.webp, byteCount: byteCount) }
      throw .corrupt(.webp, reason: "there is no image in it", offset: byteCount)
    }
  }

  /// The largest length of a chunk that leaves room for its header and padding.
  private static let maxPayload = Int(UInt32.max) - 8 - 1

  /// A chunk's payload as announced, which may reach beyond the file.
  private struct Chunk {
    var header: Int
    var payload: Range<Int>
    /// The next chunk: payloads are padded to an even length.
    var next: Int { payload.upperBound + payload.count & 1 }
  }

  /// The chunk at `offset`; `nil` when the bytes end before its header does.
  private func chunk(_ bytes: RawSpan, at offset: Int, end: Int) throws(ImagingError) -> Chunk? {
    guard offset + 8 <= end, let length = bytes.dword(at: offset + 4) else { return nil }
    guard length <= Self.maxPayload, offset + 8 + length <= end else {
      throw .corrupt(.webp, reason: "a chunk reaches beyond the one that holds it", offset: offset)
    }
    return Chunk(header: offset, payload: offset + 8..<offset + 8 + length)
  }

  private mutating func walk(_ file: UnsafeRawBufferPointer, end: Int) throws(ImagingError) {
    let bytes = file.bytes
    var offset = 12
    var alpha: Int?
    while let chunk = try chunk(bytes, at: offset, end: end) {
      let start = chunk.payload.lowerBound
      if offset == 12, bytes.holds("VP8X", at: offset) {
        guard try readExtendedHeader(bytes, chunk) else { return }
      } else if bytes.holds("VP8 ", at: offset) || bytes.holds("VP8L", at: offset) {
        if !isAnimated, frames.isEmpty {
          let isLossless = bytes.holds("VP8L", at: offset)
          guard
            let frame = try bitstream(
              file, from: isLossless ? offset : alpha ?? offset, to: chunk.payload.upperBound)
          else { return }
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
        hasAnimationHeader = true
        if let count = bytes.uint16(at: start + 4, bigEndian: false) { plays = Int(count) }
      } else if bytes.holds("ANMF", at: offset), isAnimated {
        guard hasAnimationHeader else {
          throw .corrupt(.webp, reason: "there is a frame, but no ANIM chunk before it", offset: offset)
        }
        guard try addFrame(file, chunk) else { return }
      } else if chunk.payload.upperBound <= byteCount {
        if bytes.holds("EXIF", at: offset), exif == nil { exif = chunk.payload }
        if bytes.holds("ICCP", at: offset), colorProfile == nil { colorProfile = chunk.payload }
      }
      offset = chunk.next
    }
  }

  /// Reads `VP8X`; `false` when the file ends within it.
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
    hasAlpha = hasAlpha || frame.hasAlpha
  }

  /// Reads `ANMF`; `false` when the file ends before its bitstream's header does.
  private mutating func addFrame(_ file: UnsafeRawBufferPointer, _ chunk: Chunk) throws(ImagingError) -> Bool
  {
    let bytes = file.bytes
    let start = chunk.payload.lowerBound
    let end = chunk.payload.upperBound
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
    var offset = start + 16
    var alpha: Int?
    while let inner = try self.chunk(bytes, at: offset, end: end) {
      let isLossless = bytes.holds("VP8L", at: offset)
      if isLossless || bytes.holds("VP8 ", at: offset) {
        guard
          var frame = try bitstream(
            file, from: isLossless ? offset : alpha ?? offset, to: inner.payload.upperBound)
        else { return false }
        guard frame.size == size else {
          throw .corrupt(
            .webp, reason: "a frame of \(size) holds a picture of \(frame.size)", offset: chunk.header)
        }
        frame.x = 2 * x
        frame.y = 2 * y
        frame.delay = delay
        frame.clearsAfterwards = flags & 1 != 0
        frame.replaces = flags & 2 != 0
        append(frame)
        return true
      }
      if alpha == nil, bytes.holds("ALPH", at: offset) { alpha = offset }
      offset = inner.next
    }
    if isTruncated, end > byteCount { return false }
    throw .corrupt(.webp, reason: "a frame has no picture", offset: chunk.header)
  }

  /// What the header of a bitstream says; `nil` when the file ends within it.
  private func bitstream(
    _ file: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) throws(ImagingError) -> WebPFrame? {
    let payload = start..<min(end, byteCount)
    let source = UnsafeRawBufferPointer(rebasing: file[payload])
    var features = WebPBitstreamFeatures()
    let status = WebPGetFeatures(
      source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &features)
    let isTruncated = end > byteCount
    guard status == VP8_STATUS_OK else {
      if status == VP8_STATUS_NOT_ENOUGH_DATA, isTruncated { return nil }
      throw .corrupt(.webp, reason: "the header of a bitstream makes no sense", offset: start)
    }
    let size = PixelSize(width: Int(features.width), height: Int(features.height))
    guard size.width > 0, size.height > 0 else {
      throw .corrupt(.webp, reason: "a picture of \(size) pixels", offset: start)
    }
    return WebPFrame(
      size: size, payload: payload, isTruncated: isTruncated, hasAlpha: features.has_alpha != 0,
      isLossless: features.format == 2)
  }
}

extension RawSpan {
  /// A little-endian 24-bit number.
  fileprivate func triple(at offset: Int) -> Int? {
    guard let low = uint16(at: offset, bigEndian: false), let high = byte(at: offset + 2) else { return nil }
    return Int(low) | Int(high) << 16
  }

  /// A little-endian 32-bit number.
  fileprivate func dword(at offset: Int) -> Int? {
    uint32(at: offset, bigEndian: false).map { Int($0) }
  }
}
