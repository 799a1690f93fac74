public import FoundationEssentials

/// An encoder for PNG that writes RGBA, RGB if every pixel is opaque, grey for grey bitmaps, 16 bits per sample for
/// 16-bit bitmaps, or a palette on request; interlaced by Adam7 on request.
///
/// Filters are chosen row by row; the effort is libdeflate's level 1, 6 or 9.
public struct PNGEncoder: ImageEncoding {
  /// `png`.
  public var format: ImageFormat { .png }

  /// Creates an encoder.
  public init() {}

  /// Returns false: the format is lossless, or has no quality.
  public func usesQuality(_ options: EncodeOptions) -> Bool { false }

  /// Returns true: there are chunks for all of them.
  public func holds(_ profile: ColorProfile) -> Bool { true }

  /// Returns the encoded image. Checks for cancellation while rows are filtered.
  ///
  /// - Throws: ``ImagingError/invalidParameter(name:reason:)`` for a palette that is not of 2 to 256 colours;
  ///   ``ImagingError/encodingFailed(_:reason:)``, ``ImagingError/outOfMemory(byteCount:)``,
  ///   ``ImagingError/cancelled``.
  public func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    try Self.encode(image, options: options)
  }

  static func encode(_ image: Image, options: EncodeOptions) throws(ImagingError) -> Data {
    let bitmap = image.bitmap
    var palette: Palette?
    let samples: PNGSamples
    if options.usesPalette, bitmap.format == .rgba8 {
      guard 2...256 ~= options.paletteSize else {
        throw .invalidParameter(name: "paletteSize", reason: "\(options.paletteSize) is not 2 to 256")
      }
      let colors = try Palette.make(from: bitmap, maxColors: options.paletteSize)
      samples = try PNGSamples(
        bitmap, indices: try colors.indices(of: bitmap, dithers: options.dithers),
        colors: colors.colors.count,
        isInterlaced: options.isInterlaced)
      palette = colors
    } else {
      samples = try PNGSamples(bitmap, isInterlaced: options.isInterlaced)
    }
    let stream = try PNGDeflater.stream(samples, area: PixelRectangle(bitmap.size), effort: options.effort)
    var writer = PNGFileWriter(samples.header)
    if options.keeps.contains(.icc) { try writer.addProfile(image.profile) }
    if let palette { writer.add(palette) }
    writer.add(image.metadata.kept(options.keeps))
    writer.addImageData(stream)
    return writer.finish()
  }
}
