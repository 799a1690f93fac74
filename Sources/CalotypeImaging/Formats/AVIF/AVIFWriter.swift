#if AVIF
import CAVIF
import CPixels
import FoundationEssentials

/// A file that is being encoded: a still, or an animation frame by frame.
final class AVIFWriter {
  private let encoder: OpaquePointer
  private let size: PixelSize
  private let format: PixelFormat
  private let hasAlpha: Bool

  /// - Parameters:
  ///   - bitmap: The first picture, which all others equal in size.
  ///   - hasAlpha: Pass true if a picture may be transparent.
  ///   - profile: The colours to write; `nil` for sRGB.
  ///   - metadata: The blocks to write.
  ///   - isAnimation: Pass true to add frames.
  ///   - options: The options.
  init(
    of bitmap: Bitmap, hasAlpha: Bool, profile: ColorProfile?, metadata: ImageMetadata, isAnimation: Bool,
    options: EncodeOptions
  ) throws(ImagingError) {
    try OptionalLibrary.avif.require()
    guard (0...100).contains(options.quality), (0...100).contains(options.alphaQuality) else {
      throw .invalidParameter(
        name: "quality", reason: "\(options.quality) or, for alpha, \(options.alphaQuality) is not 0 to 100")
    }
    guard max(bitmap.width, bitmap.height) <= AVIFEncoder.maxSide else {
      throw .invalidParameter(
        name: "size",
        reason: "AVIF holds at most \(AVIFEncoder.maxSide) pixels a side here, not \(bitmap.size)")
    }
    size = bitmap.size
    let depth = try Self.depth(of: bitmap, options)
    self.hasAlpha = hasAlpha
    // Luma alone, without a conversion.
    format =
      bitmap.format == .gray8 && !hasAlpha && depth == 8
      ? .gray8 : bitmap.format == .rgba16 ? .rgba16 : .rgba8
    let quality = options.isLossless ? 100 : options.alphaQuality
    var encoding = cavif_encoding()
    encoding.width = UInt32(size.width)
    encoding.height = UInt32(size.height)
    encoding.depth = UInt32(depth)
    encoding.chroma =
      format == .gray8 ? CPX_CHROMA_NONE : options.isLossless ? CPX_CHROMA_444 : options.subsampling.chroma
    encoding.colors = Self.colors(profile, isLossless: options.isLossless && format != .gray8)
    encoding.has_alpha = hasAlpha
    encoding.is_lossless = options.isLossless
    encoding.allows_palettes = bitmap.hasFlatAreas
    encoding.is_alpha_lossless = quality == 100
    encoding.speed = options.effort.speed
    encoding.level = AVIFQuality.level(options.quality)
    encoding.alpha_level = AVIFQuality.level(quality)
    encoding.timescale = isAnimation ? 1000 : 0
    var icc: Data?
    if case .icc(let data) = profile, ICCHeader.explains(format == .gray8 ? 1 : 3, data) { icc = data }
    let encoder = Self.withBytes(icc) { icc in
      Self.withBytes(metadata.exif) { exif in
        Self.withBytes(metadata.xmp) { xmp in
          encoding.profile = icc
          encoding.exif = exif
          encoding.xmp = xmp
          return cavif_encoder_create(&encoding)
        }
      }
    }
    guard let encoder else { throw .outOfMemory(byteCount: bitmap.byteCount) }
    self.encoder = encoder
  }

  deinit { cavif_encoder_free(encoder) }

  private static func withBytes<Result>(_ data: Data?, _ body: (cavif_bytes) -> Result) -> Result {
    guard let data, !data.isEmpty else { return body(cavif_bytes()) }
    return data.bytes.withUnsafeBytes { bytes in
      body(cavif_bytes(data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count))
    }
  }

  private static func depth(of bitmap: Bitmap, _ options: EncodeOptions) throws(ImagingError) -> Int {
    let isDeep = bitmap.format == .rgba16
    guard !isDeep || !options.isLossless else {
      throw .encodingFailed(
        .avif, reason: "it has at most 12 bits, and 16 are to be kept; convert to 8, or write png")
    }
    guard let asked = options.extras["depth"] else { return isDeep ? 10 : 8 }
    guard let depth = Int(asked), [8, 10, 12].contains(depth) else {
      throw .invalidParameter(name: "depth", reason: "8, 10 or 12, not \(asked)")
    }
    guard !options.isLossless || depth == 8 else {
      throw .invalidParameter(
        name: "depth", reason: "lossless files of 8-bit pixels have 8 bits, not \(asked)")
    }
    return depth
  }

  /// Returns the code points: sRGB, unless the profile has others; lossless pixels are not multiplied by a matrix.
  private static func colors(_ profile: ColorProfile?, isLossless: Bool) -> cpx_code_points {
    var colors = cpx_code_points(primaries: 1, transfer: 13, matrix: isLossless ? 0 : 6, is_full_range: true)
    if case .cicp(let points) = profile {
      (colors.primaries, colors.transfer) = (UInt16(points.primaries), UInt16(points.transfer))
      // BT.2020 has a matrix of its own.
      if !isLossless, points.primaries == 9 { colors.matrix = 9 }
    }
    return colors
  }

  /// Adds a picture of the size of the first.
  func add(_ bitmap: Bitmap, duration: Duration) throws(ImagingError) {
    if Task.isCancelled { throw .cancelled }
    guard bitmap.size == size else {
      throw .invalidParameter(name: "animation", reason: "a frame is \(bitmap.size), the first is \(size)")
    }
    let bitmap = try bitmap.converted(to: format)
    var message: UnsafePointer<CChar>?
    let status = bitmap.withUnsafeBytes { bytes in
      cavif_encoder_add(
        encoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bitmap.bytesPerRow,
        format == .gray8 ? 1 : 4, format == .rgba16 ? 16 : 8,
        // A frame of no duration does not exist; samples have 32 bits for it.
        UInt64(min(max(1, duration.wholeMilliseconds), Int(UInt32.max))), &message)
    }
    try check(status, message)
  }

  /// Ends the file.
  func finish() throws(ImagingError) -> Data {
    if Task.isCancelled { throw .cancelled }
    var file = cavif_bytes()
    var message: UnsafePointer<CChar>?
    try check(cavif_encoder_finish(encoder, &file, &message), message)
    guard let bytes = file.data, file.count > 0 else {
      throw .encodingFailed(.avif, reason: "the encoder wrote nothing")
    }
    return Data(bytes: bytes, count: file.count)
  }

  private func check(_ status: cavif_status, _ message: UnsafePointer<CChar>?) throws(ImagingError) {
    switch status {
    case CAVIF_DONE: return
    case CAVIF_NO_MEMORY: throw .outOfMemory(byteCount: size.byteCount)
    default:
      throw .encodingFailed(
        .avif, reason: "libavif says: \(message.map { String(cString: $0) } ?? "unknown")")
    }
  }
}

extension EncodeOptions.Effort {
  /// The speed of libaom.
  fileprivate var speed: Int32 {
    switch self {
    case .fast: 9
    case .balanced: 8
    case .small: 6
    }
  }
}

extension EncodeOptions.Subsampling {
  fileprivate var chroma: cpx_chroma {
    switch self {
    case .yuv420, .auto: CPX_CHROMA_420
    case .yuv422: CPX_CHROMA_422
    case .yuv444: CPX_CHROMA_444
    }
  }
}
#endif
