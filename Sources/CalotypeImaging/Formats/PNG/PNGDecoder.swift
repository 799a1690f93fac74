public import FoundationEssentials

/// A decoder for PNG (ISO/IEC 15948, W3C third edition) and APNG.
///
/// All colour types and depths, interlaced or not, become RGBA8 with straight alpha, or the format that the options
/// request. Colours are not converted: ``Image/profile`` describes them. Text (except XMP) and unknown chunks are
/// skipped unread.
///
/// Ancillary chunks with a wrong CRC are ignored. A wrong CRC of a critical chunk is an error, unless partial images
/// are allowed. Image data that cannot be inflated or end before the last row are damaged. Damage behind the last row
/// is ignored.
public struct PNGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// The formats that this decoder reads.
  public var formats: [ImageFormat] { [.png, .apng] }

  /// 8 bytes.
  public var signatureLength: Int { 8 }

  /// Returns `apng` if an acTL chunk with frames comes before the image data, `png` for any other PNG.
  ///
  /// An animation is only recognised if `prefix` reaches the acTL chunk.
  public func format(of prefix: Data) -> ImageFormat? {
    prefix.withUnsafeBytes { bytes in
      guard bytes.starts(with: PNGHeader.signature) else { return nil }
      var cursor = PNGChunkCursor(bytes, from: PNGHeader.signature.count)
      while let chunk = try? cursor.next(), chunk.type != .imageData, chunk.type != .end {
        guard chunk.type == .animationControl, chunk.payload.count == 8 else { continue }
        if cursor.hasValidCRC(chunk), bytes.bigEndian32(at: chunk.payload.lowerBound) > 0 { return .apng }
      }
      return .png
    }
  }

  /// Reads the chunks. Costs a walk over them; the only compressed data that it inflates is an ICC profile.
  ///
  /// The frames of a damaged animation are those before the damage.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try Self.withFile(data, options: DecodeOptions(limits: limits)) { file throws(ImagingError) in
      file.info(file.profile)
    }
  }

  /// Reads the chunks up to the image data. The number of frames is the announced one.
  public func header(of prefix: Data, limits: DecodeLimits) throws(ImagingError) -> ImageHeader? {
    let options = DecodeOptions(limits: limits)
    return try prefix.withUnsafeBytes { bytes in
      Swift.Result { () throws(ImagingError) -> ImageHeader? in
        var walk = PNGWalk(limits: limits)
        try walk.advance(bytes)
        // A part of the image data, or its first bytes, are behind the last complete chunk.
        guard let structure = walk.structure, !structure.isBeforeImageData || walk.isAtImageData(bytes) else {
          return nil
        }
        let file = PNGFile(bytes: bytes, structure: structure, options: options)
        var header = ImageHeader(info: file.info(file.profile), hasAllFrames: true)
        if let frames = walk.frames?.announced {
          header.info.format = .apng
          header.info.frameCount = frames.count
          header.info.loopCount = frames.plays
          header.info.durations = []
          header.hasAllFrames = false
        }
        return header
      }
    }.get()
  }

  /// Decodes the image, or the first frame of an animation on its canvas, at full size.
  ///
  /// A truncated animation counts as truncated even if its first frame is complete.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    return try Self.withFile(data, options: options) { file throws(ImagingError) in try file.decode(watch) }
  }

  /// Decodes the image and resamples its rows as they are decoded, if that is possible.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions, shrinkingBy shrinker: RowShrinker
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    return try Self.withFile(data, options: options) { file throws(ImagingError) in
      if let image = try file.shrink(by: shrinker, watch) { return image }
      try options.checkWholeMemory(for: file.info(file.profile), encodedByteCount: data.count)
      return try file.decode(watch)
    }
  }

  /// Returns 1: the decoder always delivers the full size.
  public func scaleDivisor(for size: PixelSize, minimumSize: PixelSize?) -> Int? {
    1
  }

  /// Returns a decoder that shows rows, passes and frames as they arrive.
  public func makeIncrementalDecoder(options: DecodeOptions) -> (any IncrementalImageDecoding)? {
    PNGIncrementalDecoder(options: options)
  }

  /// Returns the frames of an animation; `nil` for a still image, and for an animation without a valid frame.
  ///
  /// - Throws: As ``decode(_:minimumSize:options:)``, and ``ImagingError/limitExceeded(_:value:limit:)`` for the
  ///   pixels of all frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    try Self.withFile(data, options: options) { file throws(ImagingError) -> (any FrameDecoding)? in
      guard file.structure.isAnimated else { return nil }
      _ = try file.animationFlaws()
      let profile = file.profile
      let info = file.info(profile)
      try options.limits.check(totalPixelsOf: info, encodedByteCount: data.count)
      let structure = file.structure
      return CompositedFrameDecoder(data, info: info, profile: profile, limits: options.limits) { bytes in
        PNGFrames(file: PNGFile(bytes: bytes, structure: structure, options: options))
      }
    }
  }

  /// Calls `body` with the parsed file; refuses empty input.
  static func withFile<Result>(
    _ data: Data, options: DecodeOptions, _ body: (PNGFile) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    guard !data.isEmpty else { throw .emptyInput }
    return try data.withUnsafeBytes { bytes in
      Swift.Result { () throws(ImagingError) in
        try body(
          PNGFile(bytes: bytes, structure: try PNGStructure(bytes, limits: options.limits), options: options))
      }
    }.get()
  }
}
