import CLibTurboJPEG
public import CalotypeImaging
public import FoundationEssentials

/// A decoder for JPEG by TurboJPEG (`turbojpeg.h`).
///
/// Metadata, profiles and limits come from the marker segments, which are read with checked bounds before the library
/// reads any byte. Pixels are those of `JPEGDecoder`: accurate integer transform, smooth chroma upsampling, inks by the
/// plain product or unchanged with their profile. Scaled decodes agree if the scaled size belongs to only one scale.
public struct TurboJPEGDecoder: ImageDecoding {
  /// Creates a decoder.
  public init() {}

  /// JPEG.
  public var formats: [ImageFormat] { [.jpeg] }

  /// 3 bytes.
  public var signatureLength: Int { JPEGDecoder().signatureLength }

  /// Returns the result of `JPEGDecoder.format`.
  public func format(of prefix: Data) -> ImageFormat? { JPEGDecoder().format(of: prefix) }

  /// Walks over the segments before the first scan.
  ///
  /// - Throws: The errors of `JPEGDecoder.probe`.
  public func probe(_ data: Data, limits: DecodeLimits) throws(ImagingError) -> ImageInfo {
    let header = try JPEGHeader(data)
    try limits.check(size: header.size, format: .jpeg)
    return Self.info(header)
  }

  /// Decodes the picture as stored, at the smallest of the scales 1, 1/2, 1/4, 1/8 that is not below `minimumSize`.
  ///
  /// Any warning of the library counts as damage. If partial images are allowed, a damaged picture is marked as
  /// partial; if the library fails, the error remains.
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
    let divisor = ScaleDivisor.largest(for: header.size, minimumSize: minimumSize)
    let size = PixelSize(
      width: (header.size.width + divisor - 1) / divisor,
      height: (header.size.height + divisor - 1) / divisor)
    let session = try TurboJPEGSession()
    var isPartial = false
    let bitmap = try data.bytes.withUnsafeBytes { (source) throws(ImagingError) in
      try Bitmap(size: size, format: pixels.format) { (target) throws(ImagingError) in
        // The library may stop after a warning without reporting it: the remaining rows are then not written.
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

  /// Returns the information in the header. The picture is decoded as a whole before it is resampled.
  private static func info(_ header: JPEGHeader) -> ImageInfo {
    var info = ImageInfo(header)
    info.layout.needsCanvas = true
    return info
  }

  /// The pixels of the library and their conversion.
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
        // The plain product of inks no longer has the colours that the profile describes.
        let converts = options.colors == .sRGB && usable != nil
        (layout, format, profile) = (TJPF_CMYK, converts ? .cmyk8 : .rgba8, converts ? usable : nil)
      default: (layout, format, profile) = (TJPF_RGBA, .rgba8, usable)
      }
    }

    /// Converts inks, which are stored inverted, as Adobe's writers do, to inks, or to light by the plain product.
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
