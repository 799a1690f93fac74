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
    options.isProgressive = jpeg?.isProgressive ?? false
    if jpeg?.avoidsSubsampling == true || avif?.subsampling == .off { options.subsampling = .yuv444 }
    options.usesPalette = png?.isQuantized ?? false
    options.isLossless = webp?.compression == .lossless || webp?.compression == .nearLossless
    options.usesSharpYUV = webp?.usesSmartSubsampling ?? false
    if !stripsMetadata { options.keeps = [.exif, .xmp] }
    if keepsColorProfile { options.keeps.insert(.icc) }
    return options
  }

  /// The primitives that encoders lack for this plan.
  var missingPrimitives: Set<MissingPrimitive> {
    var missing: Set<MissingPrimitive> = []
    if maxBytes != nil { missing.insert(.bestEffortSize) }
    if autoquality != nil { missing.insert(.autoquality) }
    if keepsCopyright { missing.insert(.copyrightFilter) }
    if let colorProfile, colorProfile != "srgb" { missing.insert(.colorProfile) }
    if dpi != nil { missing.insert(.density) }
    if let jpeg {
      let knobs = [jpeg.usesTrellisQuantization, jpeg.usesOvershootDeringing, jpeg.optimizesScans]
      if knobs.contains(true) || jpeg.quantizationTable ?? 0 > 0 { missing.insert(.jpegSettings) }
    }
    if let png, png.isInterlaced == true || (png.isQuantized == true && png.colors ?? 256 != 256) {
      missing.insert(.pngSettings)
    }
    if let webp, webp.compression == .nearLossless || webp.preset ?? .default != .default {
      missing.insert(.webpSettings)
    }
    return missing
  }
}
