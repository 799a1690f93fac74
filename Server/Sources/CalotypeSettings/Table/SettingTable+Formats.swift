extension SettingTable {
  static let formats = SettingRows.group(.formats) {
    Setting(
      "AUTO_WEBP", \.formats.autoWebP, .flag, .mapPlus,
      "Chooses WebP for clients that accept it, if a URL names no format."
    ).alias(SettingAlias("IMGPROXY_ENABLE_WEBP_DETECTION", deprecated: "it is an old name"))
    Setting(
      "AUTO_AVIF", \.formats.autoAVIF, .flag, .mapPlus,
      "Chooses AVIF for clients that accept it, if a URL names no format."
    ).alias(SettingAlias("IMGPROXY_ENABLE_AVIF_DETECTION", deprecated: "it is an old name"))
    Setting(
      "AUTO_JXL", \.formats.autoJXL, .flag, .mapPlus,
      "Chooses JPEG XL for clients that accept it, if a URL names no format.")
    Setting(
      "ENFORCE_WEBP", \.formats.enforcesWebP, .flag, .mapPlus,
      "Chooses WebP for clients that accept it, in place of the format of a URL.")
    Setting(
      "ENFORCE_AVIF", \.formats.enforcesAVIF, .flag, .mapPlus,
      "Chooses AVIF for clients that accept it, in place of the format of a URL.")
    Setting(
      "ENFORCE_JXL", \.formats.enforcesJXL, .flag, .mapPlus,
      "Chooses JPEG XL for clients that accept it, in place of the format of a URL.")
    Setting(
      "PREFERRED_FORMATS", \.formats.preferred, .formats, .map,
      "Formats of which one is chosen if nothing else decides, the best first.")
    Setting(
      "SKIP_PROCESSING_FORMATS", \.formats.skipped, .formats, .map,
      "Formats of sources that are passed on as they are.")
    Setting(
      "ALWAYS_RASTERIZE_SVG", \.formats.rasterizesSVG, .flag, .map, "Draws SVG even if a result may be SVG.")
    Setting(
      "ENABLE_CLIENT_HINTS", \.formats.usesClientHints, .flag, .map,
      "Uses the hints of clients on width and density.")
    Setting("QUALITY", \.formats.quality, .integer(1...100), .map, "Quality.")
    Setting("FORMAT_QUALITY", \.formats.formatQuality, .qualities, .map, "Quality by format.")
    Setting("JPEG_PROGRESSIVE", \.formats.progressiveJPEG, .flag, .map, "Writes progressive JPEG.")
    Setting(
      "JPEG_NO_SUBSAMPLE", \.formats.jpegKeepsChroma, .flag, .map, "Leaves the chroma of JPEG in full size.")
    Setting(
      "JPEG_QUANT_TABLE", \.formats.jpegQuantTable, .integer(0...8), .map,
      "Quantization tables of JPEG, numbered as in MozJPEG.")
    Setting("PNG_INTERLACED", \.formats.interlacedPNG, .flag, .map, "Writes interlaced PNG.")
    Setting("PNG_QUANTIZE", \.formats.quantizesPNG, .flag, .map, "Writes PNG with a palette.")
    Setting(
      "PNG_QUANTIZATION_COLORS", \.formats.pngColors, .integer(2...256), .map, "Colours of that palette.")
    Setting(
      "WEBP_EFFORT", \.formats.webpEffort, .integer(1...6), .map,
      "Effort of WebP: 1 and 2 the least, 3 to 5 the usual, 6 the most.")
    Setting(
      "WEBP_PRESET", \.formats.webpPreset, choice(Settings.Formats.WebPPreset.self), .map,
      "Preset of libwebp.")
    Setting(
      "WEBP_COMPRESSION", \.formats.webpCompression, choice(Settings.Formats.WebPCompression.self), .map,
      "Compression of WebP.")
    Setting(
      "WEBP_SMART_SUBSAMPLE", \.formats.webpSmartSubsampling, .flag, .map,
      "Subsamples the chroma of WebP with more care.")
    Setting(
      "AVIF_SPEED", \.formats.avifSpeed, .integer(0...9), .map,
      "Speed of AVIF: 9 the fastest, 7 and 8 the usual, 6 and less the smallest files.")
    Setting(
      "AVIF_SUBSAMPLE", \.formats.avifSubsampling, choice(Settings.Formats.Subsampling.self), .map,
      "Subsamples the chroma of AVIF.")
    Setting(
      "JXL_EFFORT", \.formats.jxlEffort, .integer(1...9), .map,
      "Effort of JPEG XL: 1 to 3 the least, 4 and 5 the usual, 6 and more the most.")
  }

  static let quality = SettingRows.group(.quality) {
    Setting(
      "AUTOQUALITY_METHOD", \.quality.method, choice(Settings.Quality.Method.self), .map,
      "How quality is found."
    ).unsupported("ml", "it needs a model")
    Setting(
      "AUTOQUALITY_TARGET", \.quality.target, .real(0...1e12, excludingZero: true), .map,
      "The aim: bytes for `size`, dissimilarity for `dssim`.")
    Setting("AUTOQUALITY_MIN", \.quality.minimum, .integer(1...100), .map, "The least quality.")
    Setting(
      "AUTOQUALITY_FORMAT_MIN", \.quality.formatMinimum, .qualities, .map, "The least quality by format.")
    Setting("AUTOQUALITY_MAX", \.quality.maximum, .integer(1...100), .map, "The greatest quality.")
    Setting(
      "AUTOQUALITY_FORMAT_MAX", \.quality.formatMaximum, .qualities, .map, "The greatest quality by format.")
    Setting(
      "AUTOQUALITY_ALLOWED_ERROR", \.quality.allowedError, .real(0...1e12, excludingZero: false), .map,
      "How far a result may be off the aim.")
    Setting(
      "AUTOQUALITY_MAX_RESOLUTION", \.quality.maxPixels, .megapixels, .map,
      "Largest image whose quality is found by measuring; 0 for no limit.")
    Setting(
      "BEST_FORMAT_COMPLEXITY_THRESHOLD", \.quality.bestFormatThreshold,
      .real(0...1000, excludingZero: false), .map,
      "The complexity from which on an image is no drawing, for the best format.")
    Setting(
      "BEST_FORMAT_MAX_RESOLUTION", \.quality.bestFormatMaxPixels, .megapixels, .map,
      "Largest image whose best format is found by trying; 0 for no limit.")
    Setting(
      "BEST_FORMAT_BY_DEFAULT", \.quality.bestFormatByDefault, .flag, .map,
      "Chooses the best format if a URL names none.")
    Setting(
      "BEST_FORMAT_ALLOW_SKIPS", \.quality.bestFormatAllowsSkips, .flag, .map,
      "Passes a source on as it is if it has the best format.")
  }

  static let unusedFormats: [UnusedSetting] = [
    .init("JPEG_TRELLIS_QUANT", .alias, "it needs MozJPEG and has no effect"),
    .init("JPEG_OVERSHOOT_DERINGING", .alias, "it needs MozJPEG and has no effect"),
    .init("JPEG_OPTIMIZE_SCANS", .alias, "it needs MozJPEG and has no effect"),
    .init("AUTOQUALITY_JPEG_NET", .refused, "it needs a model"),
    .init("AUTOQUALITY_WEBP_NET", .refused, "it needs a model"),
    .init("AUTOQUALITY_AVIF_NET", .refused, "it needs a model"),
    .init("AUTOQUALITY_JXL_NET", .refused, "it needs a model"),
    .init("PDF_NO_BACKGROUND", .refused, "PDF is not supported"),
    .init("ENABLE_RAW_FORMATS", .refused, "raw photographs are not supported"),
    .init("VIDEO_*", .refused, "videos are not supported"),
    .init("ENABLE_VIDEO_THUMBNAILS", .refused, "videos are not supported"),
  ]

  static let unusedModels: [UnusedSetting] = [
    .init("SMART_CROP_*", .refused, "it needs a model; `gravity:sm` uses attention"),
    .init("ML_*", .refused, "it needs a model"),
    .init("OBJECT_DETECTION_*", .refused, "it needs a model"),
    .init("CLASSIFICATION_*", .refused, "it needs a model"),
  ]
}
