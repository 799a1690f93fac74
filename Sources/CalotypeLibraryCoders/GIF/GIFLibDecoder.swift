public import CalotypeImaging
public import FoundationEssentials

/// A decoder for GIF (87a and 89a), still and animated, by giflib.
///
/// giflib reads the records and decompresses row by row; frames are composited here. The canvas and the interpretation
/// of disposals, delays and loops are those of `GIFDecoder`. giflib treats bytes between records, which browsers skip,
/// as damage.
public struct GIFLibDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// GIF.
  public var formats: [ImageFormat] { [.gif] }

  /// 6 bytes.
  public var signatureLength: Int { GIFDecoder().signatureLength }

  /// Returns the result of `GIFDecoder.format`.
  public func format(of prefix: Data) -> ImageFormat? { GIFDecoder().format(of: prefix) }

  /// Reads the records; for a damaged file, those before the damage.
  ///
  /// - Throws: `ImagingError.emptyInput`, `ImagingError.unrecognizedFormat`,
  ///   `ImagingError.truncated`, `ImagingError.corrupt`,
  ///   `ImagingError.limitExceeded`.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    try GIFLibStructure(data, limits: limits).info
  }

  /// Decodes the first frame at full size; `minimumSize` is ignored.
  ///
  /// Damage behind the first frame is an error, too, unless `options` allow partial images: the image is then marked as
  /// partial.
  ///
  /// - Throws: The errors of ``probe(_:limits:)``, and `ImagingError.outOfMemory`, `ImagingError.cancelled`.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let structure = try GIFLibStructure(data, limits: options.limits)
    if let damage = structure.damage, !options.allowsPartial { throw damage }
    let source = GIFLibFrameSource(data, structure, options)
    var isWhole = true
    let bitmap = try Bitmap(size: structure.canvas) { (target) throws(ImagingError) in
      target.initializeMemory(as: UInt8.self, repeating: 0)
      let plane = PixelPlane(target, size: structure.canvas, bytesPerPixel: 4)
      isWhole = try source.draw(0, onto: plane, blends: false, watch: watch)
      return false
    }
    return Image(
      bitmap: bitmap, info: structure.info, isPartial: !isWhole || structure.damage != nil)
  }

  /// Returns a decoder for all frames of an animation; `nil` for a still image.
  ///
  /// - Throws: The errors of ``decode(_:minimumSize:options:)``, and `ImagingError.limitExceeded` for the pixels of all
  ///   frames together.
  public func makeFrameDecoder(
    _ data: Data, options: DecodeOptions
  ) throws(ImagingError) -> (any FrameDecoding)? {
    let structure = try GIFLibStructure(data, limits: options.limits)
    guard structure.frames.count > 1 else { return nil }
    if let damage = structure.damage, !options.allowsPartial { throw damage }
    try options.limits.check(framesOf: structure.info)
    let frames = structure.frames.map {
      CompositedFrame(area: structure.area(of: $0), disposal: $0.disposal, blends: $0.transparent != nil)
    }
    return try CompositedFrames(
      frames, info: structure.info, profile: nil, format: .rgba8, options: options,
      drawing: GIFLibFrameSource(data, structure, options))
  }
}
