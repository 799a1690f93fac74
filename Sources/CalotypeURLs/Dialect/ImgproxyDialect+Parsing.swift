extension ImgproxyDialect {
  /// Reads a request target, as it came over the wire: verifies its signature, then reads the rest.
  ///
  /// `now`, in seconds since 1970, refuses expired URLs and signatures of keys that are no longer valid; without it, neither is.
  public func parse(_ target: some Sequence<UInt8>, at now: Int64? = nil) throws(ImageURLError)
    -> ImgproxyRequest
  {
    let parts = try split(target)
    let verification = try configuration.signature.verify(parts.signature, of: parts.path, at: now)
    var request = try parse(path: parts.path, at: now)
    request.verification = verification
    return request
  }

  /// Reads a request target.
  public func parse(_ target: String, at now: Int64? = nil) throws(ImageURLError) -> ImgproxyRequest {
    try parse(target.utf8, at: now)
  }

  /// Reads a path behind a signature, such as ``SplitTarget/path``. Nothing is verified or repaired.
  public func parse(path: String, at now: Int64? = nil) throws(ImageURLError) -> ImgproxyRequest {
    var reading = OptionReading(self, now: now)
    return try parse(path: path, with: &reading)
  }

  /// Reads a path into options, which are there as far as it can be read.
  func parse(path: String, with reading: inout OptionReading) throws(ImageURLError) -> ImgproxyRequest {
    var bytes = Array(path.utf8)[...]
    guard bytes.count <= configuration.limits.bytes else {
      throw ImageURLError(
        .tooLong, "a URL of more than \(configuration.limits.bytes) bytes", remedy: "shorten it")
    }
    if bytes.first == UInt8(ascii: "/") { bytes.removeFirst() }
    guard !bytes.isEmpty else {
      throw ImageURLError(.incompletePath, "an empty path", remedy: "write /signature/options/source")
    }
    let segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let first = String(decoding: segments[0], as: UTF8.self)
    if !configuration.onlyPresets, ProcessingStage.ResizingType(rawValue: first) != nil {
      throw ImageURLError(
        .obsoleteForm, at: .init(segment: 0, text: first), "a URL in the form of imgproxy 2",
        remedy: "write options with their names, such as rs:fill:300:200")
    }

    if configuration.presets.presets["default"] != nil {
      try reading.apply(preset: "default", to: 0, at: .init(segment: 0, text: first), within: [])
    }
    let optionCount: Int
    if configuration.onlyPresets {
      let names = arguments(of: segments[0]) ?? [segments[0]]
      try reading.apply(presets: names[...], to: 0, at: .init(segment: 0, text: first), within: [])
      optionCount = 1
    } else {
      optionCount = try reading.read(segments)
    }

    let place = ImageURLError.Place(
      segment: optionCount,
      text: optionCount < segments.count ? String(decoding: segments[optionCount], as: UTF8.self) : "")
    let read = try source(segments[optionCount...], at: place)
    var options = reading.options
    if options.raw != true, !read.format.isEmpty {
      guard let format = RequestedFormat(name: read.format), configuration.edition == .pro || format != .best
      else {
        throw ImageURLError(
          .unknownFormat, at: place, "the extension \"\(read.format.prefix(16))\" is no format",
          remedy: "give one of " + RequestedFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      options.format = format
    }
    return ImgproxyRequest(
      options: options, source: read.source, sourceForm: read.form, presets: reading.presets,
      notices: reading.notices)
  }

  /// A source, its extension, and how it was written.
  typealias ReadSource = (source: String, format: String, form: ImgproxyRequest.SourceForm)

  /// Reads the segments behind the options.
  func source(
    _ segments: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place
  ) throws(ImageURLError) -> ReadSource {
    guard let first = segments.first else { throw Self.empty(place) }
    if segments.count > 1, first.elementsEqual("plain".utf8) {
      return try plainSource(segments.dropFirst(), at: place)
    }
    if segments.count > 1, configuration.edition == .pro, first.elementsEqual("enc".utf8) {
      let (bytes, format) = try decoded(segments.dropFirst(), at: place)
      guard let cipher = configuration.cipher, let source = cipher.decrypt(bytes) else {
        throw ImageURLError(
          .undecryptableSource, at: place, "an encrypted source that no key decrypts",
          remedy: "encrypt it with the key of the server")
      }
      return (try preprocessed(Array(source.utf8), at: place), format, .encrypted)
    }
    let (bytes, format) = try decoded(segments, at: place)
    return (try preprocessed(bytes, at: place), format, .base64)
  }

  private func plainSource(
    _ segments: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place
  ) throws(ImageURLError) -> ReadSource {
    let text = Array(segments.joined(separator: [UInt8(ascii: "/")]))
    let (encoded, format) = try Self.withoutFormat(text[...], mark: UInt8(ascii: "@"), at: place)
    guard let bytes = PercentEncoding.decode(encoded) else {
      throw ImageURLError(
        .invalidSource, at: place, "a percent sign without two hexadecimal digits",
        remedy: "percent-encode the source")
    }
    return (try preprocessed(bytes, at: place), format, .plain)
  }

  /// The bytes and the extension of a source in base64, which may be split anywhere.
  private func decoded(
    _ segments: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place
  ) throws(ImageURLError) -> (bytes: [UInt8], format: String) {
    var segments = segments
    if configuration.base64IncludesFilename, segments.count > 1 { segments.removeLast() }
    let text = Array(segments.joined())
    let (encoded, format) = try Self.withoutFormat(text[...], mark: UInt8(ascii: "."), at: place)
    guard let bytes = Base64URL.decodeLeniently(encoded) else {
      throw ImageURLError(
        .invalidSource, at: place, "a source that is not in URL-safe base64",
        remedy: "encode it, or write plain/ in front of it")
    }
    return (bytes, format)
  }

  /// A source and the extension behind a mark, which is empty if there is none.
  private static func withoutFormat(
    _ text: ArraySlice<UInt8>, mark: UInt8, at place: ImageURLError.Place
  ) throws(ImageURLError) -> (ArraySlice<UInt8>, String) {
    let parts = text.split(separator: mark, omittingEmptySubsequences: false)
    guard let source = parts.first, !source.isEmpty else { throw empty(place) }
    guard parts.count <= 2 else {
      throw ImageURLError(
        .severalFormats, at: place, "a source with several extensions",
        remedy: "percent-encode the source, and give one extension")
    }
    return (source, parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : "")
  }

  private func preprocessed(_ bytes: [UInt8], at place: ImageURLError.Place) throws(ImageURLError) -> String {
    var bytes = bytes
    for rule in configuration.replacements { bytes = rule.apply(to: bytes) }
    if !bytes.starts(with: configuration.baseURL.utf8) { bytes = Array(configuration.baseURL.utf8) + bytes }
    guard !bytes.isEmpty else { throw Self.empty(place) }
    guard let text = SafeText.validated(bytes) else {
      throw ImageURLError(
        .invalidSource, at: place, "a source that is not UTF-8 or has control characters",
        remedy: "percent-encode it as a URL first")
    }
    return text
  }

  private static func empty(_ place: ImageURLError.Place) -> ImageURLError {
    ImageURLError(.emptySource, at: place, "no source", remedy: "end the URL with the source")
  }
}
