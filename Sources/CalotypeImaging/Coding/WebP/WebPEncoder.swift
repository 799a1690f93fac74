import CWebP
public import FoundationEssentials

/// Writes still WebP: lossy at a quality, or lossless with every pixel kept, also under full transparency.
public struct WebPEncoder: ImageEncoding {
  /// The largest width and height that the format can hold (RFC 9649, 2.5 and 3.4).
  public static let maxSide = 16383

  /// Creates an encoder.
  public init() {}

  /// ``ImageFormat/webp``.
  public var format: ImageFormat { .webp }

  /// The encoded bytes. Alpha is kept, and left out when the bitmap is known to be opaque.
  ///
  /// Lossless files are as small as libwebp's default effort makes them; `quality` does not matter then.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a quality outside 0 to 100 or a picture larger
  ///   than ``maxSide``, ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = image.bitmap
    guard bitmap.width <= Self.maxSide, bitmap.height <= Self.maxSide else {
      throw .invalidParameter(
        name: "size",
        reason:
          "WebP holds at most \(Self.maxSide)×\(Self.maxSide) pixels, not \(bitmap.size); shrink it first")
    }
    var config = try Self.config(options)
    var picture = WebPPicture()
    guard WebPPictureInit(&picture) != 0 else { throw Self.wrongVersion }
    defer { WebPPictureFree(&picture) }
    picture.width = Int32(bitmap.width)
    picture.height = Int32(bitmap.height)
    picture.use_argb = options.isLossless ? 1 : 0
    let isImported = bitmap.withUnsafeBytes { pixels in
      let source = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let stride = Int32(bitmap.bytesPerRow)
      return bitmap.isOpaque
        ? WebPPictureImportRGBX(&picture, source, stride) : WebPPictureImportRGBA(&picture, source, stride)
    }
    guard isImported != 0 else { throw .outOfMemory(byteCount: bitmap.byteCount) }

    var writer = WebPMemoryWriter()
    WebPMemoryWriterInit(&writer)
    defer { WebPMemoryWriterClear(&writer) }
    picture.writer = WebPMemoryWrite
    picture.progress_hook = continuesUnlessCancelled
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

  private static var wrongVersion: ImagingError {
    .encodingFailed(.webp, reason: "the WebP library has another version than its headers")
  }

  private static func config(_ options: EncodeOptions) throws(ImagingError) -> WebPConfig {
    guard (0...100).contains(options.quality) else {
      throw .invalidParameter(name: "quality", reason: "\(options.quality) is not 0 to 100")
    }
    var config = WebPConfig()
    guard WebPConfigInit(&config) != 0 else { throw wrongVersion }
    if options.isLossless {
      guard WebPConfigLosslessPreset(&config, 6) != 0 else { throw wrongVersion }
      config.exact = 1
    } else {
      config.quality = Float(options.quality)
      config.method = 4
    }
    return config
  }

  private static func error(_ code: WebPEncodingError, of bitmap: Bitmap) -> ImagingError {
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

/// Called now and then by the encoder, on the thread that encodes; 0 stops it.
private func continuesUnlessCancelled(_: Int32, _: UnsafePointer<WebPPicture>?) -> Int32 {
  Task.isCancelled ? 0 : 1
}
