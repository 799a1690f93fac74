import CPixels
public import FoundationEssentials

/// An encoder for PNG that keeps every pixel and takes as few bits as they need: a palette for at most 256 colours, grey
/// for grey pixels of any bitmap, 1, 2 or 4 bits where they suffice, no alpha channel if all pixels are opaque or one colour
/// can stand for transparency, and 16 bits only for samples that have them. A lossy palette and interlacing by Adam7 are
/// made on request.
///
/// A profile that is kept also keeps grey pixels grey and coloured ones coloured, because it applies to one of them. Rows are
/// filtered one by one or not at all, each band of them as an estimate says, or all as a sample of them compresses better; with
/// ``EncodeOptions/Effort/small``, another rule for filters is tried as well, and libdeflate works at its level 11 or 12
/// instead of 6 to 9. Colours of fully transparent pixels are kept, unless ``EncodeOptions/clearsHiddenColors`` is set.
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

  /// Returns the encoded image.
  ///
  /// - Parameter colors: The colours of the image, if they are known, for a lossy palette.
  static func encode(
    _ image: Image, options: EncodeOptions, colors: ColorHistogram? = nil
  ) throws(ImagingError) -> Data {
    let (samples, stream) = try compressed(image, options: options, colors: colors)
    var writer = PNGFileWriter(samples.header)
    if options.keeps.contains(.icc) { try writer.addProfile(image.profile) }
    writer.add(samples.layout)
    writer.add(image.metadata.kept(options.keeps))
    writer.addImageData(stream)
    return writer.finish()
  }

  /// Returns the smallest samples of an image, and their zlib stream.
  static func compressed(
    _ image: Image, options: EncodeOptions, colors: ColorHistogram? = nil
  ) throws(ImagingError) -> (samples: PNGSamples, stream: Data) {
    let compression = PNGCompression(effort: options.effort, area: PixelRectangle(image.bitmap.size))
    return try compression.smallest(of: compression.ways(try Self.samples(of: image, options, colors)))
  }

  private static func samples(
    of image: Image, _ options: EncodeOptions, _ colors: ColorHistogram?
  ) throws(ImagingError) -> [PNGSamples] {
    var bitmap = image.bitmap
    if options.usesPalette, bitmap.format == .rgba8 {
      guard 2...256 ~= options.paletteSize else {
        throw .invalidParameter(name: "paletteSize", reason: "\(options.paletteSize) is not 2 to 256")
      }
      let palette =
        if let colors {
          try colors.palette(maxColors: options.paletteSize)
        } else {
          try Palette.make(from: bitmap, maxColors: options.paletteSize)
        }
      let indices = try palette.indices(of: bitmap, dithers: options.dithers)
      return [
        try PNGSamples(
          indices: indices, into: palette.colors, size: bitmap.size, isInterlaced: options.isInterlaced)
      ]
    }
    var survey = PNGSurvey(clears: options.clearsHiddenColors)
    try survey.add(bitmap)
    if bitmap.format == .rgba16, !survey.needs16 {
      bitmap = try bitmap.converted(to: .rgba8)
      survey = PNGSurvey(clears: options.clearsHiddenColors)
      try survey.add(bitmap)
    }
    let candidates = PNGLayout.candidates(for: survey, rules: rules(for: image, options)) { color in
      bitmap.withUnsafeBytes { pixels in
        guard let base = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        return (0..<bitmap.height).allSatisfy {
          cpng_has_opaque(base + $0 * bitmap.bytesPerRow, bitmap.width, color) == 0
        }
      }
    }
    var samples: [PNGSamples] = []
    for layout in candidates {
      samples.append(try PNGSamples(bitmap, layout, isInterlaced: options.isInterlaced))
    }
    return samples
  }

  /// A grey profile is for grey samples, and one of RGB for all others (11.3.2.3).
  private static func rules(for image: Image, _ options: EncodeOptions) -> PNGLayout.Rules {
    guard options.keeps.contains(.icc), let profile = image.profile, profile != .sRGB else {
      return PNGLayout.Rules()
    }
    return PNGLayout.Rules(allowsGray: false, allowsPalette: image.bitmap.format != .gray8)
  }
}
