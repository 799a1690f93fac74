public import CalotypeImaging
import CalotypeURLs

extension EncodePlan {
  /// Returns the options of the encoder.
  ///
  /// - Throws: ``RenderingError/noEncoder(_:)``.
  public func options() throws(RenderingError) -> EncodeOptions {
    guard let target = format.imageFormat else { throw .noEncoder(format.rawValue) }
    let formats = candidates.compactMap(\.imageFormat)
    var options = formats.isEmpty ? EncodeOptions(format: target) : .automatic(among: formats)
    if let quality { options.quality = min(max(quality, 0), 100) }
    options.effort = effort
    if jpeg?.usesTrellisQuantization == true || jpeg?.optimizesScans == true { options.effort = .small }
    options.maxFileSize = maxBytes
    if let autoquality { search(autoquality, &options) }
    options.requiresMaxFileSize = false
    options.isProgressive = jpeg?.isProgressive ?? false
    if jpeg?.avoidsSubsampling == true || avif?.subsampling == .off { options.subsampling = .yuv444 }
    options.usesPalette = png?.isQuantized ?? false
    options.paletteSize = min(max(png?.colors ?? 256, 2), 256)
    options.isInterlaced = png?.isInterlaced ?? false
    options.isLossless = webp?.compression == .lossless || webp?.compression == .nearLossless
    if webp?.compression == .nearLossless {
      // The quality is that of the samples then.
      options.nearLosslessQuality = min(options.quality, 99)
    }
    options.content = webp?.preset.flatMap { EncodeOptions.Content($0) } ?? .any
    options.usesSharpYUV = webp?.usesSmartSubsampling ?? false
    if !stripsMetadata { options.keeps = [.exif, .xmp] }
    if keepsCopyright { options.keeps.insert(.copyright) }
    if keepsColorProfile { options.keeps.insert(.icc) }
    return options
  }

  private func search(_ search: ProcessingOptions.Autoquality, _ options: inout EncodeOptions) {
    let least = min(max(search.minQuality ?? 70, 0), 100)
    let most = min(max(search.maxQuality ?? 80, least), 100)
    let target = search.target ?? 0.02
    switch search.method {
    case .size:
      options.quality = most
      let bytes = Int(min(max(target, 1), 0x1p40))
      options.maxFileSize = min(maxBytes ?? .max, bytes)
    case .dssim where target > 0:
      options.qualityTarget = .target(
        .dssim(min(target, 1)), tolerance: max(0, search.allowedError ?? 0.002), range: least...most)
    case .dssim, Optional.none, .some(.none): break
    }
  }

  /// The primitives that encoders lack for this plan.
  var missingPrimitives: Set<MissingPrimitive> {
    var missing: Set<MissingPrimitive> = []
    if let colorProfile, colorProfile != "srgb" { missing.insert(.colorProfile) }
    if dpi != nil { missing.insert(.density) }
    if let jpeg {
      // Trellis and scans are those of the smallest effort; our tables were fitted to pictures, as those of mozjpeg were.
      if jpeg.usesOvershootDeringing == true || jpeg.quantizationTable ?? 0 > 0 {
        missing.insert(.jpegSettings)
      }
    }
    return missing
  }
}

extension EncodeOptions.Content {
  fileprivate init(_ preset: ProcessingOptions.WebP.Preset) {
    switch preset {
    case .default: self = .any
    case .picture: self = .picture
    case .photo: self = .photo
    case .drawing: self = .drawing
    case .icon: self = .icon
    case .text: self = .text
    }
  }
}
