extension OptionTable {
  private typealias Row = OptionRow<ProcessingOptions>

  /// The part of a source that is read.
  static let sources: [OptionRow<ProcessingOptions>] = [
    Row.integer("page", "pg", at: \.page, in: sides, default: 0).pro(),
    Row.integer("pages", "pgs", at: \.pages, in: 1...Int(Int32.max), default: 1).pro(),
    Row.flag("disable_animation", "da", at: \.disablesAnimation, default: false).pro(),
    Row.base64("style", "st", at: \.style).pro(),
    Row.base64("fallback_image_url", "fiu", at: \.fallbackImageURL).pro(),
    hashsum.pro(),
  ]

  /// How a result is served.
  static let serving: [OptionRow<ProcessingOptions>] = [
    skipProcessing,
    .flag("raw", at: \.raw, default: false),
    cachebuster,
    Row.flag("bypass_cache", "bc", at: \.bypassesCache, default: false).pro().requiring(.bypassingCache),
    cacheTags.pro(),
    expires,
    filename,
    .flag("return_attachment", "att", at: \.returnsAttachment),
  ]

  /// Limits of the server that a URL changes.
  static let limits: [OptionRow<ProcessingOptions>] = [
    Row.real("max_src_resolution", "msr", at: \.maxSourceResolution, in: .notNegative).requiring(.security),
    Row.integer("max_src_file_size", "msfs", at: \.maxSourceFileSize, in: .min ... .max).requiring(.security),
    Row.integer("max_animation_frames", "maf", at: \.maxAnimationFrames, in: 1 ... .max).requiring(.security),
    Row.real("max_animation_frame_resolution", "mafr", at: \.maxAnimationFrameResolution, in: .notNegative)
      .requiring(.security),
    Row.integer("max_result_dimension", "mrd", at: \.maxResultDimension, in: .min ... .max).requiring(
      .security),
  ]

  private static let hashsum = Row("hashsum", "hs") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(2)
    let algorithm = try arguments.choice(0, ProcessingOptions.Hashsum.Algorithm.self)
    guard algorithm != .none else {
      options.hashsum = .init(.none)
      return
    }
    guard isHash(arguments.text(1), algorithm) else {
      throw arguments.invalid(1, expected: "\(2 * algorithm.byteCount) hexadecimal digits")
    }
    options.hashsum = .init(algorithm, hex: arguments.text(1).lowercased())
  } write: { options, arguments in
    guard let hashsum = options.hashsum else { return }
    arguments.choice(hashsum.algorithm)
    arguments.add(
      "the hash is not one",
      unless: isHash(hashsum.hex, hashsum.algorithm) && hashsum.hex == hashsum.hex.lowercased())
    if !hashsum.hex.isEmpty { arguments.plain(hashsum.hex) }
  }.normalizing { options in
    if options.hashsum?.algorithm == ProcessingOptions.Hashsum.Algorithm.none { options.hashsum = nil }
  }

  private static func isHash(_ text: String, _ algorithm: ProcessingOptions.Hashsum.Algorithm) -> Bool {
    text.utf8.count == 2 * algorithm.byteCount && text.utf8.allSatisfy { PercentEncoding.value($0) != nil }
  }

  private static let skipProcessing = Row("skip_processing", "skp") {
    (arguments, options) throws(ImageURLError) in
    for index in 0..<arguments.count { options.skipProcessing.insert(try arguments.format(index)) }
  } write: { options, arguments in
    for format in options.skipProcessing.sorted() {
      arguments.plain(format.name)
      arguments.add("the best format is no source", unless: format != .best)
    }
  }

  private static let cachebuster = Row("cachebuster", "cb") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(1)
    options.cachebuster = try arguments.plain(0)
  } write: { options, arguments in
    if let text = options.cachebuster { arguments.plain(text) }
  }.normalizing { options in if options.cachebuster == "" { options.cachebuster = nil } }

  private static let cacheTags = Row("cache_tags", "ct") { (arguments, options) throws(ImageURLError) in
    var known = Set(options.cacheTags)
    for index in 0..<arguments.count where arguments.has(index) {
      let tag = try arguments.plain(index)
      if known.insert(tag).inserted { options.cacheTags.append(tag) }
    }
  } write: { options, arguments in
    for tag in options.cacheTags {
      arguments.plain(tag)
      arguments.add("a tag has no name", unless: !tag.isEmpty)
    }
    arguments.add("a tag occurs twice", unless: Set(options.cacheTags).count == options.cacheTags.count)
  }

  /// Whether the moment has passed is judged by ``ImgproxyDialect``, which knows the time.
  private static let expires = Row("expires", "exp") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(1)
    options.expires = Int64(try arguments.integer(0, in: .min ... .max))
  } write: { options, arguments in
    if let moment = options.expires { arguments.integer(Int(moment), in: .min ... .max) }
  }.normalizing { options in if let moment = options.expires, moment <= 0 { options.expires = nil } }

  /// The name as it is: imgproxy does not decode percent-encoding here. Names that no segment can have are in base64.
  private static let filename = Row("filename", "fn") { (arguments, options) throws(ImageURLError) in
    try arguments.limit(2)
    if arguments.has(1), ["1", "t", "T", "TRUE", "true", "True"].contains(arguments.text(1)) {
      let name = try arguments.base64(0)
      guard SafeText.validated(name.utf8) != nil else {
        throw arguments.invalid(0, expected: "a name without control characters")
      }
      options.filename = name
    } else {
      guard SafeText.validated(arguments[0]) != nil else {
        throw arguments.invalid(0, expected: "a name without control characters")
      }
      options.filename = arguments.text(0)
    }
  } write: { options, arguments in
    guard let name = options.filename else { return }
    if name.utf8.allSatisfy(PercentEncoding.isUnreserved) {
      arguments.plain(name)
    } else {
      arguments.base64(name)
      arguments.flag(true)
      arguments.add("the name has control characters", unless: SafeText.validated(name.utf8) != nil)
    }
  }
}
