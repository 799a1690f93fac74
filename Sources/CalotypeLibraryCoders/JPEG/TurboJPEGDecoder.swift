import CLibTurboJPEG
public import CalotypeImaging
public import FoundationEssentials

/// Decodes JPEG by TurboJPEG (`turbojpeg.h`).
///
/// Metadata, profiles and limits come from the marker segments, which are read with checked bounds before the library
/// sees any byte. Pixels are those of `JPEGDecoder`: accurate integer transform, smooth chroma upsampling, inks by the
/// plain product or as they are with their profile. Scaled decodes agree where the scaled size belongs to one scale
/// only.
public struct TurboJPEGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// JPEG.
  public var formats: [ImageFormat] { [.jpeg] }

  /// 3 bytes.
  public var signatureLength: Int { JPEGDecoder().signatureLength }

  /// As `JPEGDecoder.format`.
  public func format(of prefix: Data) -> ImageFormat? { JPEGDecoder().format(of: prefix) }

  /// Walks over the segments before the first scan.
  ///
  /// - Throws: As `JPEGDecoder.probe`.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let header = try JPEGHeader(data)
    try limits.check(size: header.size, format: .jpeg)
    return Self.info(header)
  }

  /// Decodes the picture as stored, at the smallest of the scales 1, 1/2, 1/4, 1/8 that is not below `minimumSize`.
  ///
  /// Any warning of the library counts as damage. With partial images allowed, a damaged picture is marked as partial;
  /// one that the library gives up is an error all the same.
  ///
  /// - Throws: `ImagingError.emptyInput`, `ImagingError.unsupportedFormat`,
  ///   `ImagingError.limitExceeded` for pixels and scans, `ImagingError.truncated`,
  ///   `ImagingError.corrupt`, `ImagingError.outOfMemory`,
  ///   `ImagingError.cancelled` before and after the call of the library.
  public func decode(
    _ data: Data, minimumSize: PixelSize?, options: DecodeOptions
  ) throws(ImagingError) -> Image {
    let watch = DecodeLimits.DeadlineChecker(options.limits)
    try watch.check()
    let header = try JPEGHeader(data, keepsMetadata: options.readsMetadata)
    try options.limits.check(size: header.size, format: .jpeg)
    try header.checkSupport()
    guard let scanOffset = header.scanOffset else { throw .truncated(.jpeg, byteCount: data.count) }
    // A picture that claims more blocks than its bytes can hold gets no memory.
    let missesPixels = data.count - scanOffset < header.minimumScanBytes
    if missesPixels, !options.allowsPartial { throw .truncated(.jpeg, byteCount: data.count) }
    try JPEGScans.check(data.bytes, from: scanOffset, limit: options.limits.maxScans)

    let pixels = Pixels(header, options)
    let divisor = JPEGScale.denominator(for: header.size, minimumSize: minimumSize)
    let size = PixelSize(
      width: (header.size.width + divisor - 1) / divisor,
      height: (header.size.height + divisor - 1) / divisor)
    let session = try TurboJPEGSession()
    var isPartial = false
    let bitmap = try data.bytes.withUnsafeBytes { (source) throws(ImagingError) in
      try Bitmap(size: size, format: pixels.format) { (target) throws(ImagingError) in
        // After a warning the library may give up all the same, and says so in no way: then rows stay as they are.
        if options.allowsPartial { target.initializeMemory(as: UInt8.self, repeating: 0) }
        isPartial = try session.decode(
          source, into: target, size: size, layout: pixels.layout, allowsDamage: options.allowsPartial)
        pixels.finish(target)
        return !isPartial
      }
    }
    try watch.check()
    let info = Self.info(header)
    return Image(
      bitmap: bitmap, info: info, orientation: info.orientation, isPartial: isPartial,
      profile: pixels.profile, metadata: header.metadata)
  }

  /// What the header says. The picture is needed as a whole before it is shrunk.
  private static func info(_ header: JPEGHeader) -> ImageInfo {
    var info = ImageInfo(header)
    info.layout.needsCanvas = true
    return info
  }

  /// What the library delivers, and what becomes of it.
  private struct Pixels {
    let layout: TJPF
    let format: PixelFormat
    let profile: ColorProfile?

    init(_ header: JPEGHeader, _ options: DecodeOptions) {
      let count = header.components.count
      let usable = header.profile.flatMap { ICCHeader.explains(count, $0) ? ColorProfile.icc($0) : nil }
      switch count {
      case 1 where options.pixels == .native: (layout, format, profile) = (TJPF_GRAY, .gray8, usable)
      case 4:
        // Mixed by the plain product, inks are no longer what the profile speaks of.
        let converts = options.colors == .sRGB && usable != nil
        (layout, format, profile) = (TJPF_CMYK, converts ? .cmyk8 : .rgba8, converts ? usable : nil)
      default: (layout, format, profile) = (TJPF_RGBA, .rgba8, usable)
      }
    }

    /// Inks are stored inverted, as Adobe's writers do: they become inks, or light by the plain product.
    func finish(_ target: UnsafeMutableRawBufferPointer) {
      guard layout == TJPF_CMYK else { return }
      if format == .cmyk8 {
        for index in target.indices { target[index] = ~target[index] }
        return
      }
      for pixel in stride(from: 0, to: target.count - 3, by: 4) {
        let black = UInt32(target[pixel + 3])
        for sample in pixel..<pixel + 3 {
          target[sample] = UInt8(truncatingIfNeeded: (UInt32(target[sample]) * black + 127) / 255)
        }
        target[pixel + 3] = 255
      }
    }
  }
}
