import CLibSPNG
import CalotypeImaging
import FoundationEssentials

/// A PNG in memory: the properties that libspng reads, and the chunks that it does not support.
struct SPNGFile {
  let context: SPNGContext
  let chunks: PNGChunks
  let profile: ColorProfile?
  let info: ImageInfo
  let metadata: ImageMetadata
  let options: DecodeOptions

  /// Creates a file; the memory of `bytes` has to outlive this value.
  init(_ bytes: UnsafeRawBufferPointer, _ options: DecodeOptions) throws(ImagingError) {
    let context = try SPNGContext(bytes, limits: options.limits)
    let span = bytes.bytes
    let chunks = try PNGChunks(span, canvas: context.size, limits: options.limits)
    let exif = span.array(chunks.exif).map { Data($0) }
    profile =
      span.array(chunks.codePoints).flatMap {
        ColorProfile.codePoints(
          $0, contentLight: span.array(chunks.contentLight),
          masteringDisplay: span.array(chunks.masteringDisplay))
      } ?? context.profile
    info = Self.info(context, chunks, profile, exif.flatMap { Exif.orientation(in: $0) })
    let keepsExif = options.readsMetadata && (exif?.count ?? 0) <= options.limits.maxChunkBytes
    metadata = ImageMetadata(exif: keepsExif ? exif : nil, xmp: options.readsMetadata ? context.xmp : nil)
    (self.context, self.chunks, self.options) = (context, chunks, options)
  }

  /// The layout of the requested pixels. Those of an animation lie on a transparent canvas.
  var format: PixelFormat {
    let isWide = context.header.bit_depth == 16
    if isWide, options.mapsTones(of: info.dynamicRange) { return .rgba16 }
    guard options.pixels == .native else { return .rgba8 }
    if isWide { return .rgba16 }
    let isGray = context.header.color_type == 0 && !info.hasAlpha
    return isGray && (chunks.animation?.frames.isEmpty ?? true) ? .gray8 : .rgba8
  }

  private static func info(
    _ context: SPNGContext, _ chunks: PNGChunks, _ profile: ColorProfile?, _ orientation: Orientation?
  ) -> ImageInfo {
    var info = ImageInfo(
      format: .png, size: context.size, hasAlpha: context.hasAlpha, bitDepth: Int(context.header.bit_depth),
      orientation: orientation ?? .topLeft)
    switch profile {
    case .icc(let data): info.colorProfile = ICCProfile.description(of: data)
    case .sRGB: info.colorProfile = "sRGB"
    case .calibrated, .cicp, nil: break
    }
    info.dynamicRange = profile?.dynamicRange ?? .standard
    // All pictures are decoded as a whole, a frame beside its canvas.
    info.layout.isKnown = true
    info.layout.needsCanvas = true
    info.layout.hasProfile = !(profile.map { $0 == .sRGB } ?? true)
    let bits = Int(context.header.bit_depth) * [1, 1, 3, 1, 2, 1, 4][Int(min(6, context.header.color_type))]
    let (inflated, overflow) = info.size.height.multipliedReportingOverflow(
      by: (info.size.width * bits + 7) / 8 + 1)
    info.layout.inflatedByteCount = overflow ? .max : inflated
    guard let animation = chunks.animation else { return info }
    info.format = .apng
    let canvas = info.size.pixelCount
    for frame in animation.frames {
      let pixels = frame.area.size.pixelCount
      info.layout.frames.add(
        stored: pixels, on: canvas, beside: pixels + (frame.disposal == .restore ? canvas : 0))
    }
    guard !animation.frames.isEmpty else { return info }
    info.frameCount = animation.frames.count
    info.loopCount = animation.plays
    info.durations = animation.frames.map { .milliseconds($0.duration) }
    return info
  }
}
