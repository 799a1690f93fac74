extension ImgproxyDialect {
  /// How a source is written.
  public enum SourceEncoding: Hashable, Sendable {
    /// Percent-encoded behind `plain/`.
    case plain
    /// In URL-safe base64, in segments of some characters if a number is given.
    case base64(splitEvery: Int? = nil)
    /// Encrypted behind `enc/`, which ``Configuration/cipher`` does; in segments likewise.
    case encrypted(SourceCipher.InitializationVector = .derived, splitEvery: Int? = nil)

    /// In URL-safe base64, in one segment.
    public static var base64: SourceEncoding { .base64() }
  }

  /// The path and signature of an image: the part of a URL behind the host.
  ///
  /// Equal values give equal URLs, unless a vector is random. Values that would be read differently are refused; so are options
  /// that ``configuration`` does not allow. Presets come before the options, which overwrite theirs; options that a preset sets
  /// and `options` does not give remain. A preset `default` of the server comes before both.
  ///
  /// `filename` is added to encoded sources if ``Configuration/base64IncludesFilename`` is on.
  public func url(
    for source: String, _ options: ProcessingOptions = ProcessingOptions(), presets: [String] = [],
    encoding: SourceEncoding = .base64, filename: String? = nil, signedAt now: Int64? = nil
  ) throws(ImageURLError) -> String {
    let path = try path(for: source, options, presets: presets, encoding: encoding, filename: filename)
    let url = self.url(path: path, at: now)
    guard url.utf8.count <= configuration.limits.bytes else {
      throw ImageURLError(
        .tooLong, "a URL of more than \(configuration.limits.bytes) bytes",
        remedy: "use presets, or a shorter source")
    }
    return url
  }

  /// The path and signature for a path that was written before, with a slash in front. It is neither read nor checked.
  public func url(path: String, at now: Int64? = nil) -> String {
    String(decoding: prefix, as: UTF8.self) + "/" + configuration.signature.sign(path, at: now) + path
  }

  /// The path behind the signature: the text that is signed.
  public func path(
    for source: String, _ options: ProcessingOptions = ProcessingOptions(), presets: [String] = [],
    encoding: SourceEncoding = .base64, filename: String? = nil
  ) throws(ImageURLError) -> String {
    var segments: [String] = []
    // A raw source has no extension, and one format is then as good as another.
    let hasExtension = options.format != nil && options.raw != true
    if configuration.onlyPresets {
      var rest = options
      if hasExtension { rest.format = nil }
      guard rest == ProcessingOptions(), !presets.isEmpty else {
        throw WrittenArguments.unwritable("a URL of presets alone", "it has options, or no preset")
      }
      segments.append(try names(presets).joined(separator: configuration.separator))
    } else {
      if !presets.isEmpty {
        try allow("pr")
        segments.append((["pr"] + (try names(presets))).joined(separator: configuration.separator))
      }
      segments += try optionSegments(options, withFormat: !hasExtension)
      let count = segments.count { $0 != "-" } + presets.count
      guard count <= configuration.limits.options else {
        throw ImageURLError(
          .tooManyOptions, "more than \(configuration.limits.options) options", remedy: "use presets")
      }
    }
    let format = hasExtension ? try formatName(options) : nil
    segments += try sourceSegments(
      source, format: format, encoding: encoding, filename: filename, isFirst: segments.isEmpty)
    return "/" + segments.joined(separator: "/")
  }

  private func names(_ presets: [String]) throws(ImageURLError) -> [String] {
    for name in presets {
      guard !name.isEmpty, SafeText.isSegment(name), arguments(of: Array(name.utf8)[...]) == nil else {
        throw WrittenArguments.unwritable("the preset \"\(name)\"", "its name cannot be part of a path")
      }
    }
    return presets
  }

  private func formatName(_ options: ProcessingOptions) throws(ImageURLError) -> String? {
    guard options.format != .best || configuration.edition == .pro else {
      throw WrittenArguments.unwritable("format", "the best format is of imgproxy Pro")
    }
    return options.format?.name
  }

  private func optionSegments(
    _ options: ProcessingOptions, withFormat: Bool
  ) throws(ImageURLError) -> [String] {
    guard options.stages.count <= configuration.limits.stages else {
      throw ImageURLError(
        .tooManyStages, "more than \(configuration.limits.stages) pipelines", remedy: "chain fewer")
    }
    guard options.stages.count == 1 || configuration.edition == .pro, !options.stages.isEmpty else {
      throw WrittenArguments.unwritable(
        "\(options.stages.count) stages", "chained pipelines are of imgproxy Pro")
    }
    var segments: [String] = []
    for (index, stage) in options.stages.enumerated() {
      if index > 0 { segments.append("-") }
      for row in OptionTable.stage {
        if let segment = try segment(of: row, for: stage) { segments.append(segment) }
      }
      guard index == 0 else { continue }
      for row in OptionTable.whole where withFormat || row.names[0] != "format" {
        if let segment = try segment(of: row, for: options) {
          try meet(row.requirement, of: row.names[0], at: nil)
          segments.append(segment)
        }
      }
    }
    return segments
  }

  private func segment<Target>(
    of row: OptionRow<Target>, for target: Target
  ) throws(ImageURLError) -> String? {
    var arguments = WrittenArguments(row.names[0], isPro: configuration.edition == .pro)
    row.write(target, &arguments)
    guard !arguments.texts.isEmpty else { return nil }
    guard configuration.edition == .pro || !row.isPro else {
      throw WrittenArguments.unwritable(row.names[0], "it is of imgproxy Pro")
    }
    try allow(row.shortName)
    let texts = try arguments.finished()
    for text in texts where self.arguments(of: Array(text.utf8)[...]) != nil {
      throw WrittenArguments.unwritable(row.names[0], "\"\(text.prefix(32))\" has a separator")
    }
    return ([row.shortName] + texts).joined(separator: configuration.separator)
  }

  private func allow(_ name: String) throws(ImageURLError) {
    guard let allowed = configuration.allowedOptions, !allowed.isEmpty, !allowed.contains(name) else {
      return
    }
    if configuration.allowedOptionsCoverSynonyms,
      OptionTable.synonyms(of: name).contains(where: allowed.contains)
    {
      return
    }
    throw ImageURLError(
      .forbiddenOption, "the option \(name) is not allowed",
      remedy: "leave it out, or allow it under this name")
  }

  private func sourceSegments(
    _ source: String, format: String?, encoding: SourceEncoding, filename: String?, isFirst: Bool
  ) throws(ImageURLError) -> [String] {
    guard !source.isEmpty else {
      throw ImageURLError(.emptySource, "no source", remedy: "give the URL of an image")
    }
    guard SafeText.validated(source.utf8) != nil else {
      throw ImageURLError(
        .invalidSource, "a source with control characters", remedy: "percent-encode it as a URL first")
    }
    guard filename == nil || configuration.base64IncludesFilename && encoding != .plain else {
      throw WrittenArguments.unwritable("the file name", "the source is written without one")
    }
    switch encoding {
    case .plain:
      return ["plain", Self.plainText(source) + (format.map { "@" + $0 } ?? "")]
    case .base64(let length):
      return encodedSegments(
        Base64URL.encode(Array(source.utf8)), format: format, length: length, filename: filename)
    case .encrypted(let vector, let length):
      guard let cipher = configuration.cipher, configuration.edition == .pro else {
        throw ImageURLError(
          .undecryptableSource, "an encrypted source without a key", remedy: "give the dialect a cipher")
      }
      let text = try cipher.encrypt(source, vector: vector)
      return ["enc"] + encodedSegments(text, format: format, length: length, filename: filename)
    }
  }

  /// A source that is the same after repair and percent-decoding.
  private static func plainText(_ source: String) -> String {
    let bytes = Array(source.utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isKept: Bool
      switch byte {
      // A slash in front would be one of two.
      case UInt8(ascii: "/"): isKept = index > 0
      // A colon before a single slash would be repaired.
      case UInt8(ascii: ":"):
        let isSingle = index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "/")
        isKept = !isSingle || index + 2 < bytes.count && bytes[index + 2] == UInt8(ascii: "/")
      case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","), UInt8(ascii: ";"),
        UInt8(ascii: "="):
        isKept = true
      default: isKept = PercentEncoding.isUnreserved(byte)
      }
      PercentEncoding.append(byte, to: &text, isKept: isKept)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Encoded text in segments, the first of which means nothing else.
  private func encodedSegments(_ text: String, format: String?, length: Int?, filename: String?) -> [String] {
    let bytes = Array(text.utf8)
    let step = max(1, length ?? bytes.count)
    var pieces = stride(from: 0, to: bytes.count, by: step).map {
      String(decoding: bytes[$0..<min($0 + step, bytes.count)], as: UTF8.self)
    }
    let isReserved = { (piece: String) in
      ["plain", "enc", "-"].contains(piece) || ProcessingStage.ResizingType(rawValue: piece) != nil
    }
    while pieces.count > 1, isReserved(pieces[0]) {
      pieces.replaceSubrange(0..<2, with: [pieces[0] + pieces[1]])
    }
    if isReserved(pieces[0]) { pieces = [String(pieces[0].prefix(1)), String(pieces[0].dropFirst())] }
    if let format { pieces[pieces.count - 1] += "." + format }
    if configuration.base64IncludesFilename, pieces.count > 1 || filename != nil {
      pieces.append(
        String(
          decoding: PercentEncoding.encode((filename ?? "image").utf8, keeping: PercentEncoding.isUnreserved),
          as: UTF8.self))
    }
    return pieces
  }
}
