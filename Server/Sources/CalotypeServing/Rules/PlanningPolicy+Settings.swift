import CalotypeImaging
public import CalotypePlanning
public import CalotypeSettings
import CalotypeURLs

extension PlanningPolicy {
  /// The decisions of settings.
  ///
  /// - Parameter watermark: The watermark of the server, if it has one.
  public init(_ settings: Settings, watermark: WatermarkImage? = nil) {
    self.init()
    limits = PlanningLimits(settings.limits)
    let formats = settings.formats
    quality = formats.quality
    formatQuality = formats.formatQuality
    autoquality = ProcessingOptions.Autoquality(settings.quality)
    autoqualityMinimum = settings.quality.formatMinimum
    autoqualityMaximum = settings.quality.formatMaximum
    autoqualityPixels = settings.quality.maxPixels
    prefersBestFormat = settings.quality.bestFormatByDefault
    bestFormatPixels = settings.quality.bestFormatMaxPixels
    // The nearest of three levels: libwebp's methods 0, 4 and 6, libaom's speeds 9, 8 and 6, libjxl's efforts 3, 5 and 7.
    efforts = [
      .webp: Self.effort(formats.webpEffort, fastUpTo: 2, smallFrom: 6),
      .avif: Self.effort(-formats.avifSpeed, fastUpTo: -9, smallFrom: -6),
      .jxl: Self.effort(formats.jxlEffort, fastUpTo: 3, smallFrom: 6),
    ]
    setEncoders(formats)
    automaticFormats = Self.set(
      webP: formats.autoWebP, avif: formats.autoAVIF, jxl: formats.autoJXL)
    enforcedFormats = Self.set(
      webP: formats.enforcesWebP, avif: formats.enforcesAVIF, jxl: formats.enforcesJXL)
    preferredFormats = formats.preferred
    skippedFormats = Set(formats.skipped)
    let encodable = CoderRegistry.standard.encodableFormats
    writableFormats = Set(encodable.compactMap { RequestedFormat($0) })
    alwaysRasterizesDrawings = formats.rasterizesSVG
    usesClientHints = formats.usesClientHints

    let processing = settings.processing
    autoRotates = processing.rotatesAutomatically
    stripsMetadata = processing.stripsMetadata
    keepsCopyright = processing.keepsCopyright
    stripsColorProfile = processing.stripsColorProfile
    preservesHDR = processing.preservesHDR
    enforcesThumbnail = processing.enforcesThumbnail
    usesLinearLight = processing.scalesInLinearLight
    disablesShrinkingDecoders = processing.disablesShrinkOnLoad
    // A Pro feature, which changes pixels of everything that is scaled down: for URLs that ask for it.
    unsharpMasking =
      switch processing.unsharpMasking {
      case .always:
        ProcessingStage.UnsharpMasking(
          mode: .always, weight: processing.unsharpWeight, divider: processing.unsharpDivider)
      case .auto, .none:
        ProcessingStage.UnsharpMasking(
          mode: ProcessingStage.UnsharpMasking.Mode.none, weight: processing.unsharpWeight,
          divider: processing.unsharpDivider)
      }
    self.watermark = watermark
    watermarkOpacity = settings.watermark.opacity
  }

  private static func effort(_ number: Int, fastUpTo fast: Int, smallFrom small: Int) -> EncodeOptions.Effort
  {
    number <= fast ? .fast : number >= small ? .small : .balanced
  }

  private mutating func setEncoders(_ formats: Settings.Formats) {
    jpeg.isProgressive = formats.progressiveJPEG
    jpeg.avoidsSubsampling = formats.jpegKeepsChroma
    jpeg.quantizationTable = formats.jpegQuantTable
    png.isInterlaced = formats.interlacedPNG
    png.isQuantized = formats.quantizesPNG
    png.colors = formats.pngColors
    webp.usesSmartSubsampling = formats.webpSmartSubsampling
    webp.preset = ProcessingOptions.WebP.Preset(rawValue: formats.webpPreset.rawValue)
    webp.compression = ProcessingOptions.WebP.Compression(rawValue: formats.webpCompression.rawValue)
    avif.subsampling = ProcessingOptions.AVIF.Subsampling(rawValue: formats.avifSubsampling.rawValue)
  }

  private static func set(webP: Bool, avif: Bool, jxl: Bool) -> Set<RequestedFormat> {
    var formats: Set<RequestedFormat> = []
    if webP { formats.insert(.webp) }
    if avif { formats.insert(.avif) }
    if jxl { formats.insert(.jxl) }
    return formats
  }
}

extension PlanningLimits {
  /// The limits of settings; their 0 stands for none.
  init(_ settings: Settings.Limits) {
    self.init()
    sourcePixels = settings.sourcePixels == 0 ? 1 << 40 : settings.sourcePixels
    sourceBytes = settings.sourceBytes == 0 ? Settings.Limits.largestSource : settings.sourceBytes
    animationFrames = settings.animationFrames
    framePixels = settings.framePixels
    resultSide = settings.resultDimension
    if settings.resultPixels > 0 { resultPixels = settings.resultPixels }
  }
}

extension ProcessingOptions.Autoquality {
  /// The measure of settings; `nil` for none.
  init?(_ settings: Settings.Quality) {
    guard settings.method != .none else { return nil }
    self.init(
      method: Method(rawValue: settings.method.rawValue), target: settings.target,
      minQuality: settings.minimum, maxQuality: settings.maximum, allowedError: settings.allowedError)
  }
}
