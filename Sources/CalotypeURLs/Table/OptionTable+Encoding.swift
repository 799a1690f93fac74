extension OptionTable {
  private typealias Row = OptionRow<ProcessingOptions>

  /// Metadata, format and quality.
  static let encoding: [OptionRow<ProcessingOptions>] = [
    .flag("strip_metadata", "sm", at: \.stripsMetadata),
    .flag("keep_copyright", "kcr", at: \.keepsCopyright),
    .flag("strip_color_profile", "scp", at: \.stripsColorProfile),
    .flag("preserve_hdr", "ph", at: \.preservesHDR),
    .flag("enforce_thumbnail", "eth", at: \.enforcesThumbnail),
    Row.integer("dpi", at: \.dpi, in: sides, default: 0).pro(),
    colorProfile.pro(),
    .integer("quality", "q", at: \.quality, in: 0...100, default: 0),
    formatQuality,
    autoquality.pro(),
    .integer("max_bytes", "mb", at: \.maxBytes, in: 0 ... .max, default: 0),
    jpeg.pro(), png.pro(), webp.pro(), avif.pro(),
    format,
  ]

  /// Written as the extension of the source where that is possible: ``ImgproxyDialect`` does so.
  private static let format = Row("format", "f", "ext") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(1)
    guard let format = RequestedFormat(name: arguments.text(0)), arguments.isPro || format != .best else {
      throw arguments.unknownFormat(0)
    }
    options.format = format
  } write: { options, arguments in
    if let format = options.format {
      arguments.plain(format.name)
      arguments.add("the best format is of imgproxy Pro", unless: arguments.isPro || format != .best)
    }
  }

  private static let formatQuality = Row("format_quality", "fq") {
    (arguments, options) throws(ImageURLError) in
    guard arguments.count % 2 == 0 else {
      throw ImageURLError(
        .argumentCount, at: arguments.place, "the last format of \(arguments.name) has no quality",
        remedy: "give pairs of a format and a quality")
    }
    for index in stride(from: 0, to: arguments.count, by: 2) {
      options.formatQuality[try arguments.format(index)] = try arguments.integer(index + 1, in: 0...100)
    }
  } write: { options, arguments in
    for (format, quality) in options.formatQuality.sorted(by: { $0.key < $1.key }) {
      arguments.plain(format.name)
      arguments.integer(quality, in: 0...100)
      arguments.add("the best format has no quality", unless: format != .best)
    }
  }

  private static let autoquality = Row("autoquality", "aq") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(5)
    var search = options.autoquality ?? .init()
    if arguments.text(0) == "ml" {
      throw ImageURLError(
        .unsupportedOption, at: arguments.place, "the method ml of autoquality needs a model",
        remedy: "use dssim or size")
    }
    if arguments.has(0) { search.method = try arguments.choice(0) }
    if arguments.has(1) { search.target = try arguments.real(1, in: .notNegative) }
    if arguments.has(2) { search.minQuality = try arguments.integer(2, in: 1...100) }
    if arguments.has(3) { search.maxQuality = try arguments.integer(3, in: 1...100) }
    if arguments.has(4) { search.allowedError = try arguments.real(4, in: .notNegative) }
    options.autoquality = search
  } write: { options, arguments in
    guard let search = options.autoquality else { return }
    arguments.choice(search.method)
    arguments.real(search.target, in: .notNegative)
    arguments.integer(search.minQuality, in: 1...100)
    arguments.integer(search.maxQuality, in: 1...100)
    arguments.real(search.allowedError, in: .notNegative)
  }.normalizing { options in if options.autoquality == .init() { options.autoquality = nil } }

  private static let colorProfile = Row("color_profile", "cp", "icc") {
    (arguments, options) throws(ImageURLError) in
    try arguments.limit(1)
    let name = try arguments.percentEncoded(0)
    guard isFileName(name) else { throw arguments.invalid(0, expected: "srgb, cmyk or the name of a file") }
    options.colorProfile = name
  } write: { options, arguments in
    guard let name = options.colorProfile else { return }
    arguments.percentEncoded(name)
    arguments.add("\"\(name)\" is no name of a file", unless: isFileName(name))
  }.normalizing { options in if options.colorProfile == "" { options.colorProfile = nil } }

  /// A name that stays in its folder; empty for none.
  private static func isFileName(_ name: String) -> Bool {
    name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
      && !name.utf8.contains(UInt8(ascii: "\\"))
  }

  private static let jpeg = Row("jpeg_options", "jpgo", "jpego") {
    (arguments, options) throws(ImageURLError) in
    try arguments.limit(6)
    var jpeg = options.jpeg ?? .init()
    if arguments.has(0) { jpeg.isProgressive = arguments.flag(0) }
    if arguments.has(1) { jpeg.avoidsSubsampling = arguments.flag(1) }
    if arguments.has(2) { jpeg.usesTrellisQuantization = arguments.flag(2) }
    if arguments.has(3) { jpeg.usesOvershootDeringing = arguments.flag(3) }
    if arguments.has(4) { jpeg.optimizesScans = arguments.flag(4) }
    if arguments.has(5) { jpeg.quantizationTable = try arguments.integer(5, in: 0...8) }
    options.jpeg = jpeg
  } write: { options, arguments in
    guard let jpeg = options.jpeg else { return }
    arguments.flag(jpeg.isProgressive)
    arguments.flag(jpeg.avoidsSubsampling)
    arguments.flag(jpeg.usesTrellisQuantization)
    arguments.flag(jpeg.usesOvershootDeringing)
    arguments.flag(jpeg.optimizesScans)
    arguments.integer(jpeg.quantizationTable, in: 0...8)
  }.normalizing { options in if options.jpeg == .init() { options.jpeg = nil } }

  private static let png = Row("png_options", "pngo") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(3)
    var png = options.png ?? .init()
    if arguments.has(0) { png.isInterlaced = arguments.flag(0) }
    if arguments.has(1) { png.isQuantized = arguments.flag(1) }
    if arguments.has(2) { png.colors = try arguments.integer(2, in: 2...256) }
    options.png = png
  } write: { options, arguments in
    guard let png = options.png else { return }
    arguments.flag(png.isInterlaced)
    arguments.flag(png.isQuantized)
    arguments.integer(png.colors, in: 2...256)
  }.normalizing { options in if options.png == .init() { options.png = nil } }

  private static let webp = Row("webp_options", "webpo") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(3)
    var webp = options.webp ?? .init()
    if arguments.has(0) { webp.compression = try arguments.choice(0) }
    if arguments.has(1) { webp.usesSmartSubsampling = arguments.flag(1) }
    if arguments.has(2) { webp.preset = try arguments.choice(2) }
    options.webp = webp
  } write: { options, arguments in
    guard let webp = options.webp else { return }
    arguments.choice(webp.compression)
    arguments.flag(webp.usesSmartSubsampling)
    arguments.choice(webp.preset)
  }.normalizing { options in if options.webp == .init() { options.webp = nil } }

  private static let avif = Row("avif_options", "avifo") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(1)
    var avif = options.avif ?? .init()
    if arguments.has(0) { avif.subsampling = try arguments.choice(0) }
    options.avif = avif
  } write: { options, arguments in
    if let avif = options.avif { arguments.choice(avif.subsampling) }
  }.normalizing { options in if options.avif == .init() { options.avif = nil } }
}
