public import CalotypeImaging
import CalotypeURLs

extension EncodePlan {
  /// Returns the options of the encoder.
  ///
  /// - Throws: ``RenderingError/noEncoder(_:)``.
  public func options() throws(RenderingError) -> EncodeOptions {
    guard let target = format.imageFormat else { throw .noEncoder(format.rawValue) }
    var options = EncodeOptions(format: target)
    if let quality { options.quality = min(max(quality, 0), 100) }
    options.effort = effort
    options.maxFileSize = maxBytes
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

  /// The primitives that encoders lack for this plan.
  var missingPrimitives: Set<MissingPrimitive> {
    var missing: Set<MissingPrimitive> = []
    if autoquality != nil { missing.insert(.autoquality) }
    if let colorProfile, colorProfile != "srgb" { missing.insert(.colorProfile) }
    if dpi != nil { missing.insert(.density) }
    if let jpeg {
      let knobs = [jpeg.usesTrellisQuantization, jpeg.usesOvershootDeringing, jpeg.optimizesScans]
      if knobs.contains(true) || jpeg.quantizationTable ?? 0 > 0 { missing.insert(.jpegSettings) }
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
