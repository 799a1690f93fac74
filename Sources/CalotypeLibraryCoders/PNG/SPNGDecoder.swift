public import CalotypeImaging
public import FoundationEssentials

/// A decoder for PNG and APNG by libspng.
///
/// libspng reads chunks, palettes, transparency, text and profiles, inflates and makes pixels. It does not support
/// animations: their chunks are found here with checked bounds, and libspng decodes each frame as a separate PNG.
/// Pixels are those of `PNGDecoder`.
public struct SPNGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// PNG and APNG.
  public var formats: [ImageFormat] { [.png, .apng] }

  /// 8 bytes.
  public var signatureLength: Int { PNGDecoder().signatureLength }

  /// Returns the result of `PNGDecoder.format`.
  public func format(of prefix: Data) -> ImageFormat? { PNGDecoder().format(of: prefix) }

  /// Reads the chunks.
  ///
  /// - Throws: `ImagingError.emptyInput`, `ImagingError.corrupt`,
  ///   `ImagingError.truncated`, `ImagingError.limitExceeded`, also for ancillary
  ///   chunks beyond `DecodeLimits.maxChunkBytes`, as corrupt.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try Self.withFile(data, DecodeOptions(limits: limits)) { file, _ throws(ImagingError) in file.info }
  }

  /// Decodes the image, or the first frame of an animation on its canvas, at full size; `minimumSize` is ignored.
  ///
  /// A damaged animation is an error as a whole unless partial images are allowed.
  ///
  /// - Throws: The errors of ``probe(_:limits:)``, and `ImagingError.outOfMemory`, `ImagingError.cancelled`.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    return try Self.withFile(data, options) { file, bytes throws(ImagingError) in
      if let damage = file.chunks.animation?.damage, !options.allowsPartial { throw damage }
      let first = file.chunks.animation?.frames.first
      var isPartial = false
      let isCovered = first?.data == nil || first?.area.covers(file.info.size) ?? true
      let bitmap = try Bitmap(size: file.info.size, format: file.format) { (target) throws(ImagingError) in
        if options.allowsPartial || !isCovered { target.initializeMemory(as: UInt8.self, repeating: 0) }
        if let first, first.data != nil {
          let plane = PixelPlane(target, size: file.info.size, bytesPerPixel: file.format.bytesPerPixel)
          isPartial = try !APNGFrameSource.draw(
            first, .init(file), bytes.bytes, onto: plane, blends: false, watch: watch)
        } else if let (rows, damage) = try file.context.decode(
          into: target, format: file.format, watch: watch)
        {
          guard options.allowsPartial, rows > 0 else { throw damage }
          isPartial = true
        }
        return !isPartial && isCovered && !file.info.hasAlpha
      }
      return Image(
        bitmap: bitmap, info: file.info, orientation: file.info.orientation, isPartial: isPartial,
        profile: file.profile, metadata: file.metadata)
    }
  }

  /// Returns a decoder for the frames of an animation; `nil` for a still image, and for an animation without a valid
  /// frame.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and `ImagingError.limitExceeded` for the pixels of all
  ///   frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    try Self.withFile(data, options) { file, _ throws(ImagingError) -> CompositedFrames? in
      guard let animation = file.chunks.animation, !animation.frames.isEmpty else { return nil }
      if let damage = animation.damage, !options.allowsPartial { throw damage }
      try options.limits.check(framesOf: file.info)
      let hasAlpha = file.info.hasAlpha
      let frames = animation.frames.map {
        CompositedFrame(area: $0.area, disposal: $0.disposal, blends: $0.blends && hasAlpha)
      }
      return try CompositedFrames(
        frames, info: file.info, profile: file.profile, format: file.format, options: options,
        drawing: APNGFrameSource(data, animation.frames, .init(file)))
    }
  }

  /// Calls `body` with the parsed file.
  static func withFile<Result>(
    _ data: Data, _ options: DecodeOptions,
    _ body: (SPNGFile, UnsafeRawBufferPointer) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    guard !data.isEmpty else { throw .emptyInput }
    return try data.bytes.withUnsafeBytes { (bytes) throws(ImagingError) in
      try body(try SPNGFile(bytes, options), bytes)
    }
  }
}
