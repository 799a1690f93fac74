import CDeflate
import CalotypeImaging

/// The chunks of a PNG that libspng does not support, and the location of its image data, found with checked bounds.
///
/// Flaws in chunks up to the pixels are left to libspng; the first flaw of an animation ends it.
struct PNGChunks: Sendable {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// A chunk whose length fits the file.
  struct Chunk {
    /// The range from the length to the CRC.
    let range: Range<Int>
    let payload: Range<Int>
  }

  /// The animation; `nil` for a still image.
  private(set) var animation: APNGAnimation?
  /// The eXIf chunk: before or behind the pixels.
  private(set) var exif: Range<Int>?
  /// The cICP chunk.
  private(set) var codePoints: Range<Int>?
  /// The cLLI chunk.
  private(set) var contentLight: Range<Int>?
  /// The mDCV chunk.
  private(set) var masteringDisplay: Range<Int>?
  /// PLTE and tRNS as stored, lengths and CRCs included.
  private(set) var colors: [Range<Int>] = []
  private var seenImageData = false

  /// - Throws: `ImagingError.limitExceeded(_:value:limit:)` for the number of frames, `ImagingError.cancelled`;
  ///   `ImagingError.corrupt(_:reason:offset:)` for a chunk that no decoder may skip.
  init(_ bytes: RawSpan, canvas: PixelSize, limits: DecodeLimits) throws(ImagingError) {
    var frames = APNGFrames(canvas: canvas, limits: limits)
    var offset = Self.signature.count
    var reachedEnd = false
    var count = 0
    while let chunk = Self.chunk(bytes, at: offset) {
      count &+= 1
      if count & 4095 == 0, Task.isCancelled { throw .cancelled }
      offset = chunk.range.upperBound
      if take(chunk, bytes) { continue }
      if bytes.holds("IEND", at: chunk.range.lowerBound + 4) {
        reachedEnd = true
        break
      }
      if frames.isAnimated { try Self.checkType(chunk, bytes) }
      try frames.take(chunk, bytes)
    }
    animation = frames.finished(byteCount: bytes.byteCount, isWhole: reachedEnd)
  }

  /// Refuses chunks of an animation that no decoder may skip (PNG, 5.4): libspng reads nothing behind the pixels.
  ///
  /// - Throws: `ImagingError.corrupt(_:reason:offset:)` for an unknown critical chunk, and a second header.
  private static func checkType(_ chunk: Chunk, _ bytes: RawSpan) throws(ImagingError) {
    let type = chunk.range.lowerBound + 4
    guard bytes.byte(at: type).map({ $0 & 0x20 == 0 }) ?? false,
      !bytes.holds("PLTE", at: type), !bytes.holds("IDAT", at: type),
      !(bytes.holds("IHDR", at: type) && chunk.range.lowerBound == signature.count)
    else { return }
    throw .corrupt(
      .png, reason: "an unknown chunk is critical, or there is a second header", offset: type - 4)
  }

  /// Records a chunk of the image; `false` for others, and for those that animations need as well.
  private mutating func take(_ chunk: Chunk, _ bytes: RawSpan) -> Bool {
    let type = chunk.range.lowerBound + 4
    if bytes.holds("IDAT", at: type) {
      seenImageData = true
      return false
    }
    if bytes.holds("eXIf", at: type) {
      if exif == nil, Self.isSound(chunk, bytes) { exif = chunk.payload }
      return true
    }
    guard !seenImageData else { return false }
    if takeCodePoints(chunk, bytes, type: type) { return true }
    if bytes.holds("PLTE", at: type) || bytes.holds("tRNS", at: type) {
      colors.append(chunk.range)
      return true
    }
    return false
  }

  /// Records a chunk of a video signal; `false` for others.
  private mutating func takeCodePoints(_ chunk: Chunk, _ bytes: RawSpan, type: Int) -> Bool {
    func first(_ known: Range<Int>?, _ isSound: Bool) -> Range<Int>? {
      known ?? (isSound && Self.isSound(chunk, bytes) ? chunk.payload : nil)
    }
    if bytes.holds("cICP", at: type) {
      codePoints = first(
        codePoints,
        ColorProfile.codePoints(bytes.array(chunk.payload), contentLight: nil, masteringDisplay: nil) != nil)
    } else if bytes.holds("cLLI", at: type) {
      let level = bytes.uint32(at: chunk.payload.lowerBound, bigEndian: true)
      contentLight = first(contentLight, chunk.payload.count == 8 && level != 0)
    } else if bytes.holds("mDCV", at: type) {
      let level = bytes.uint32(at: chunk.payload.lowerBound + 16, bigEndian: true)
      masteringDisplay = first(masteringDisplay, chunk.payload.count == 24 && level != 0)
    } else {
      return false
    }
    return true
  }

  /// Returns true if an animation is announced before the image data.
  static func announcesAnimation(_ bytes: RawSpan) -> Bool {
    var offset = signature.count
    while let chunk = chunk(bytes, at: offset) {
      let type = chunk.range.lowerBound + 4
      if bytes.holds("IDAT", at: type) || bytes.holds("IEND", at: type) { return false }
      if bytes.holds("acTL", at: type), chunk.payload.count == 8, isSound(chunk, bytes),
        let count = bytes.uint32(at: chunk.payload.lowerBound, bigEndian: true), count > 0
      {
        return true
      }
      offset = chunk.range.upperBound
    }
    return false
  }

  /// Returns the whole chunk at an offset; `nil` if the file ends before its CRC does, or the type is not four letters.
  static func chunk(_ bytes: RawSpan, at offset: Int) -> Chunk? {
    guard let length = bytes.uint32(at: offset, bigEndian: true), length <= UInt32(Int32.max),
      offset + 12 + Int(length) <= bytes.byteCount,
      (offset + 4..<offset + 8).allSatisfy({ (0x61...0x7A).contains((bytes.byte(at: $0) ?? 0) | 0x20) })
    else { return nil }
    let start = offset + 8
    return Chunk(
      range: offset..<start + Int(length) + 4, payload: start..<start + Int(length))
  }

  /// Returns true if the CRC is correct.
  static func isSound(_ chunk: Chunk, _ bytes: RawSpan) -> Bool {
    checksum(bytes.extracting(chunk.range.lowerBound + 4..<chunk.payload.upperBound))
      == bytes.uint32(at: chunk.payload.upperBound, bigEndian: true)
  }

  /// Returns the CRC of chunks (PNG, annex D).
  static func checksum(_ bytes: RawSpan) -> UInt32 {
    bytes.withUnsafeBytes { $0.baseAddress == nil ? 0 : libdeflate_crc32(0, $0.baseAddress, $0.count) }
  }
}

extension RawSpan {
  /// Returns a copy of the bytes.
  func array(_ range: Range<Int>) -> [UInt8] { extracting(range).withUnsafeBytes { Array($0) } }

  /// Returns a copy of an optional range.
  func array(_ range: Range<Int>?) -> [UInt8]? {
    guard let range else { return nil }
    return array(range)
  }
}
