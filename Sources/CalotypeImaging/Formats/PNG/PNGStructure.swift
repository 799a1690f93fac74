/// The structure of a PNG file, found in one walk over its chunks, without inflating anything.
///
/// Memory is bounded by the number of frames, which ``DecodeLimits`` bounds; nothing is kept per chunk.
struct PNGStructure: Sendable {
  let header: PNGHeader
  /// The PLTE chunk of an indexed image.
  private(set) var palette: PNGChunk?
  /// The tRNS chunk, if it is valid and applies to the colour type.
  private(set) var transparency: PNGChunk?
  /// The complete IDAT chunks of the image, one after the other.
  private(set) var imageData: Range<Int>?
  /// The IDAT chunk that is truncated by the end of the input.
  private(set) var cutImageData: PNGChunk?
  /// The colour chunks.
  private(set) var color = PNGColorChunks()
  /// The iTXt chunk with the XMP packet.
  private(set) var xmp: PNGChunk?
  /// The eXIf chunk.
  private(set) var exif: PNGChunk?
  /// The animation; `nil` for a still image.
  private(set) var animation: PNGAnimation?
  /// A Boolean value that indicates whether the input ends before the IEND chunk.
  private(set) var isTruncated = false

  /// A Boolean value that indicates whether pixels may be transparent.
  var hasAlpha: Bool { header.colorType.hasAlpha || transparency != nil }

  /// Walks over all chunks of a whole file: as ``PNGWalk/finish(_:)``.
  init(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) throws(ImagingError) {
    var walk = PNGWalk(limits: limits)
    try walk.finish(bytes)
    guard let structure = walk.structure else { throw .truncated(.png, byteCount: bytes.count) }
    self = structure
  }

  /// Creates a structure that begins with the IHDR chunk.
  init(first: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    header = try Self.header(in: first, cursor)
  }

  /// Records the end of the walk.
  mutating func end(animation: PNGAnimation?, isTruncated: Bool) {
    self.animation = animation
    self.isTruncated = isTruncated
  }

  private static func header(
    in chunk: PNGChunk, _ cursor: PNGChunkCursor
  ) throws(ImagingError) -> PNGHeader {
    guard chunk.type != .appleHeader else {
      throw .unsupportedFormat(.png, reason: "Apple's CgBI variant is not PNG")
    }
    guard chunk.type == .header else {
      throw .corrupt(
        .png, reason: "the first chunk is \(chunk.type), not IHDR", offset: chunk.range.lowerBound)
    }
    guard chunk.isComplete else { throw .truncated(.png, byteCount: cursor.bytes.count) }
    guard cursor.hasValidCRC(chunk) else {
      throw .corrupt(.png, reason: "the CRC of IHDR is wrong", offset: chunk.range.lowerBound)
    }
    return try PNGHeader(cursor.bytes, payload: chunk.payload)
  }

  var isBeforeImageData: Bool { imageData == nil && cutImageData == nil }

  /// Adds the next chunk.
  ///
  /// - Throws: `corrupt` for flaws that no decoder can ignore.
  mutating func add(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    switch chunk.type {
    case .imageData:
      try addImageData(chunk)
    case .palette:
      try addPalette(chunk, cursor)
    case .transparency:
      if transparency == nil, isBeforeImageData, isUsableTransparency(chunk), cursor.hasValidCRC(chunk) {
        transparency = chunk
      }
    case .profile, .standardRGB, .gamma, .chromaticities, .codePoints, .contentLight, .masteringDisplay:
      if isBeforeImageData, cursor.hasValidCRC(chunk) { color.add(chunk, cursor.bytes) }
    case .text:
      if xmp == nil, PNGText.isXMP(chunk, cursor.bytes), cursor.hasValidCRC(chunk) { xmp = chunk }
    case .exif:
      if exif == nil, cursor.hasValidCRC(chunk) { exif = chunk }
    case .header:
      throw .corrupt(.png, reason: "a second IHDR chunk", offset: chunk.range.lowerBound)
    case .end: break
    default:
      if chunk.type.isCritical {
        throw .corrupt(
          .png, reason: "the unknown chunk \(chunk.type) claims to be indispensable",
          offset: chunk.range.lowerBound)
      }
    }
  }

  private mutating func addImageData(_ chunk: PNGChunk) throws(ImagingError) {
    guard palette != nil || header.colorType != .indexed else {
      throw .corrupt(
        .png, reason: "an indexed image has no palette before its data", offset: chunk.range.lowerBound)
    }
    // IDAT chunks are contiguous. Further ones behind other chunks are not part of the image (5.6).
    let isNext = imageData?.upperBound == chunk.range.lowerBound
    guard isBeforeImageData || (isNext && cutImageData == nil) else { return }
    if chunk.isComplete {
      imageData = (imageData?.lowerBound ?? chunk.range.lowerBound)..<chunk.range.upperBound
    } else {
      cutImageData = chunk
    }
  }

  private mutating func addPalette(_ chunk: PNGChunk, _ cursor: PNGChunkCursor) throws(ImagingError) {
    // For other colour types the palette is a suggestion for displays with few colours.
    guard header.colorType == .indexed, isBeforeImageData else { return }
    let offset = chunk.range.lowerBound
    guard palette == nil else { throw .corrupt(.png, reason: "a second PLTE chunk", offset: offset) }
    guard chunk.isComplete else { return }
    guard cursor.hasValidCRC(chunk) else {
      throw .corrupt(.png, reason: "the CRC of PLTE is wrong", offset: offset)
    }
    let count = chunk.payload.count
    guard count > 0, count % 3 == 0, count <= 768 else {
      throw .corrupt(.png, reason: "a palette cannot have \(count) bytes", offset: offset)
    }
    palette = chunk
  }

  private func isUsableTransparency(_ chunk: PNGChunk) -> Bool {
    let count = chunk.payload.count
    switch header.colorType {
    case .gray: return count == 2
    case .rgb: return count == 6
    case .indexed: return palette.map { count > 0 && count <= $0.payload.count / 3 } ?? false
    case .grayAlpha, .rgba: return false
    }
  }
}
