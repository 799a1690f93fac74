import CWebP
public import FoundationEssentials

/// An encoder for WebP, still and animated: lossy, or lossless with every pixel kept, in stills including hidden
/// colours of transparent pixels unless ``EncodeOptions/clearsHiddenColors`` is set. ``WebPSetting`` has the settings beyond
/// those of other formats.
public struct WebPEncoder: ImageEncoding {
  /// The largest width and height that the format can hold (RFC 9649, 2.5 and 3.4).
  public static let maxSide = 16383

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/webp``.
  public var format: ImageFormat { .webp }

  /// Returns the encoded image. Alpha is kept, and omitted if the bitmap is known to be opaque. Bitmaps of other
  /// formats are converted to 8 bits per sample.
  ///
  /// The size of lossless files depends on the effort, and on ``EncodeOptions/nearLosslessQuality``; `quality` is ignored.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100 or a picture larger
  ///   than ``maxSide``, ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = try Self.checked(image.bitmap)
    var config = try Self.config(options, isDrawing: bitmap.hasFlatAreas)
    // libwebp converts colours sharply, or dithers them, only if it has them.
    let needsColors = options.isLossless || config.use_sharp_yuv != 0 || config.preprocessing & 2 != 0
    let data = try Self.withPicture(of: bitmap, inColors: needsColors) {
      (picture) throws(ImagingError) in
      var writer = WebPMemoryWriter()
      WebPMemoryWriterInit(&writer)
      defer { WebPMemoryWriterClear(&writer) }
      picture.writer = WebPMemoryWrite
      let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
        picture.custom_ptr = UnsafeMutableRawPointer(writer)
        return WebPEncode(&config, &picture)
      }
      guard isEncoded != 0 else { throw Self.error(picture.error_code, of: bitmap) }
      guard let memory = writer.mem, writer.size > 0 else {
        throw .encodingFailed(.webp, reason: "the encoder wrote nothing")
      }
      return Data(bytes: memory, count: writer.size)
    }
    return try WebPMetadataWriter(image, keeps: options.keeps).add(to: data)
  }

  /// Returns an animation of all frames. A frame that equals its predecessor extends that frame's duration; colours of
  /// fully transparent pixels may change.
  ///
  /// - Throws: The errors of ``encode(_:options:)-(Image,_)``, also for frames of different sizes or none, and the
  ///   errors of `animation`.
  public func encode(_ animation: AnimationSource, options: EncodeOptions) throws(ImagingError) -> Data {
    let config = try Self.config(options, isDrawing: false)
    return try WebPAnimationWriter(config: config, options: options).data(of: animation)
  }

  /// Returns a bitmap that libwebp can read.
  static func checked(_ bitmap: Bitmap) throws(ImagingError) -> Bitmap {
    guard bitmap.width <= maxSide, bitmap.height <= maxSide else {
      throw .invalidParameter(
        name: "size",
        reason: "WebP holds at most \(maxSide)×\(maxSide) pixels, not \(bitmap.size); shrink it first")
    }
    return try bitmap.converted(to: .rgba8)
  }

  /// Calls `body` with a picture of the pixels and a hook that checks for cancellation.
  ///
  /// - Parameter inColors: Whether the picture holds the colours, not their conversion to 4:2:0.
  static func withPicture<Result>(
    of bitmap: Bitmap, inColors: Bool, _ body: (inout WebPPicture) throws(ImagingError) -> Result
  ) throws(ImagingError) -> Result {
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw Self.wrongVersion }
    defer { WebPPictureFree(&picture) }
    picture.width = Int32(bitmap.width)
    picture.height = Int32(bitmap.height)
    picture.use_argb = inColors ? 1 : 0
    let isImported = bitmap.withUnsafeBytes { pixels in
      let source = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let stride = Int32(bitmap.bytesPerRow)
      return bitmap.isOpaque
        ? WebPPictureImportRGBX(&picture, source, stride) : WebPPictureImportRGBA(&picture, source, stride)
    }
    guard isImported != 0 else { throw .outOfMemory(byteCount: bitmap.byteCount) }
    picture.progress_hook = continuesUnlessCancelled
    return try body(&picture)
  }

  static var wrongVersion: ImagingError {
    .encodingFailed(.webp, reason: "the WebP library has another version than its headers")
  }

  /// - Parameter isDrawing: Whether the picture has edges that suffer from plain chroma subsampling.
  private static func config(
    _ options: EncodeOptions, isDrawing: Bool
  ) throws(ImagingError) -> WebPConfig {
    guard (0...100).contains(options.quality) else {
      throw .invalidParameter(name: "quality", reason: "\(options.quality) is not 0 to 100")
    }
    guard (0...100).contains(options.alphaQuality) else {
      throw .invalidParameter(name: "alphaQuality", reason: "\(options.alphaQuality) is not 0 to 100")
    }
    var config = WebPConfig()
    guard WebPConfigPreset(&config, preset(options.content), Float(options.quality)) != 0 else {
      throw wrongVersion
    }
    if options.isLossless {
      if let quality = options.nearLosslessQuality {
        guard (0..<100).contains(quality) else {
          throw .invalidParameter(name: "nearLosslessQuality", reason: "\(quality) is not 0 to 99")
        }
      }
      let level: Int32 =
        switch options.effort {
        case .fast: 1
        case .balanced: 6
        // Level 9 takes twenty times as long, for half a percent.
        case .small: 8
        }
      guard WebPConfigLosslessPreset(&config, try options.checked(.losslessLevel) ?? level) != 0 else {
        throw wrongVersion
      }
      // Exact colours of transparent pixels would switch near-lossless prediction off.
      config.exact = options.nearLosslessQuality == nil && !options.clearsHiddenColors ? 1 : 0
      // 100 changes nothing.
      config.near_lossless = Int32(options.nearLosslessQuality ?? 100)
    } else {
      config.quality = Float(options.quality)
      config.alpha_quality = Int32(options.alphaQuality)
      config.use_sharp_yuv = options.usesSharpYUV || isDrawing && options.effort != .fast ? 1 : 0
      config.method =
        switch options.effort {
        // Methods 0 and 1 make files as large as JPEG.
        case .fast: 2
        case .balanced: 4
        case .small: 6
        }
      try config.applyLossySettings(of: options)
    }
    return config
  }

  private static func preset(_ content: EncodeOptions.Content) -> WebPPreset {
    switch content {
    case .any: WEBP_PRESET_DEFAULT
    case .picture: WEBP_PRESET_PICTURE
    case .photo: WEBP_PRESET_PHOTO
    case .drawing: WEBP_PRESET_DRAWING
    case .icon: WEBP_PRESET_ICON
    case .text: WEBP_PRESET_TEXT
    }
  }

  static func error(_ code: WebPEncodingError, of bitmap: Bitmap) -> ImagingError {
    switch code {
    case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
      .outOfMemory(byteCount: bitmap.byteCount)
    case VP8_ENC_ERROR_USER_ABORT:
      .cancelled
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW, VP8_ENC_ERROR_PARTITION_OVERFLOW:
      .encodingFailed(.webp, reason: "a part of the bitstream got too long; lower the quality or the size")
    default:
      .encodingFailed(.webp, reason: "libwebp error \(code.rawValue)")
    }
  }
}

/// Checks for cancellation. The encoder calls it now and then, on its thread; 0 stops it.
private func continuesUnlessCancelled(_: Int32, _: UnsafePointer<WebPPicture>?) -> Int32 {
  Task.isCancelled ? 0 : 1
}
