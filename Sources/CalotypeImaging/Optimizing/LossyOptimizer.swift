import FoundationEssentials

/// A converter of files to smaller ones that show about the same: JPEG of a lower quality, PNG with a palette, GIF whose
/// pixels repeat earlier ones.
struct LossyOptimizer {
  let target: QualityTarget
  let options: EncodeOptions
  let limits: DecodeLimits?

  /// The sides that a picture has to have to be measured.
  private static let leastSide = 11
  /// Losses of GIF, the largest first.
  private static let losses = [16, 10, 6, 3]
  /// Sizes of palettes, the largest first.
  private static let paletteSizes = [256, 128, 64, 32]
  /// Frames of an animation that are measured.
  private static let measuredFrames = 6

  /// Returns the smallest file that meets the target; `nil` if there is none.
  ///
  /// - Throws: The errors of decoding and encoding.
  func optimized(_ data: Data, _ info: ImageInfo) throws(ImagingError) -> Data? {
    try target.check()
    guard info.size.width >= Self.leastSide, info.size.height >= Self.leastSide, info.bitDepth <= 8 else {
      return nil
    }
    return switch info.format {
    case .jpeg: try jpeg(data, info)
    case .png: try png(data)
    case .gif: try gif(data)
    default: nil
    }
  }

  /// Returns a JPEG of the quality that meets the target, with all segments of the old one.
  private func jpeg(_ data: Data, _ info: ImageInfo) throws(ImagingError) -> Data? {
    guard !info.hasGainMap, let segments = JPEGSegments(data) else { return nil }
    let old = try CoderRegistry.standard.decode(data, options: .comparing(.native, limits))
      .bitmap
    guard old.format != .cmyk8 else { return nil }
    var options = options
    options.qualityTarget = target
    options.subsampling = .auto
    // Without its profile, so that samples stay in their colours.
    let made = try CoderRegistry.standard.encode(Image(bitmap: old), as: options)
    guard let whole = segments.inserted(into: made), whole.count < data.count else { return nil }
    return try meets(old, try stored(whole)) ? whole : nil
  }

  /// Returns a PNG with the fewest colours that meet the target, and all chunks that do not describe pixels.
  private func png(_ data: Data) throws(ImagingError) -> Data? {
    var options = options
    options.usesPalette = true
    options.dithers = true
    var best: Data?
    var old: Bitmap?
    for size in Self.paletteSizes {
      options.paletteSize = size
      guard let made = try PNGOptimizer.optimized(data, options, limits: limits) else { return nil }
      let original = if let old { old } else { try stored(data) }
      old = original
      guard try meets(original, try stored(made)) else { break }
      if made.count < best?.count ?? data.count { best = made }
    }
    return best
  }

  private func gif(_ data: Data) throws(ImagingError) -> Data? {
    for loss in Self.losses {
      var options = options
      options[.loss] = loss
      options[.frameTolerance] = loss / 3
      let made = try GIFOptimizer.optimized(data, options, limits: limits) {
        (old, new) throws(ImagingError) in try meets(old, new)
      }
      if let made { return made }
    }
    return nil
  }

  private func stored(_ data: Data) throws(ImagingError) -> Bitmap {
    try CoderRegistry.standard.decode(data, options: .comparing(.rgba8, limits)).bitmap
  }

  /// Returns true if a picture measures as well as the target demands.
  private func meets(_ old: Bitmap, _ new: Bitmap) throws(ImagingError) -> Bool {
    isEnough(try measured(old, new))
  }

  /// Returns true if the frames of an animation do so in the mean.
  private func meets(_ old: AnimatedImage, _ new: AnimatedImage) throws(ImagingError) -> Bool {
    let step = (old.frameCount + Self.measuredFrames - 1) / Self.measuredFrames
    var (sum, count) = (0.0, 0.0)
    for index in stride(from: 0, to: old.frameCount, by: step) {
      sum += try measured(try old.frame(at: index).bitmap, try new.frame(at: index).bitmap)
      count += 1
    }
    return isEnough(sum / count)
  }

  private func measured(_ old: Bitmap, _ new: Bitmap) throws(ImagingError) -> Double {
    let quality = try ImageQuality(original: old)
    return switch target.measure {
    case .ssimulacra2: try quality.ssimulacra2(of: new)
    case .dssim: try quality.dssim(of: new)
    }
  }

  private func isEnough(_ value: Double) -> Bool {
    switch target.measure {
    case .ssimulacra2(let wanted): value >= wanted - target.tolerance
    case .dssim(let wanted): value <= wanted + target.tolerance
    }
  }
}
