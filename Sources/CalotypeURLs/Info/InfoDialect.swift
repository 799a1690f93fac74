/// The URLs of imgproxy's `/info`, which asks for facts about an image.
///
/// ```swift
/// let info = try InfoDialect(configuration)
/// let url = try info.url(for: "https://example.com/photo.jpg", options)     // /info/SIGNATURE/…
/// let request = try info.parse(url)
/// ```
///
/// The text that is signed has no `/info`. Options, presets and allowed options are of their own.
public struct InfoDialect: Sendable {
  /// How URLs are read and written; the presets and the allowed options are those of `/info`.
  public let configuration: ImgproxyDialect.Configuration
  /// The URLs without their options.
  private let base: ImgproxyDialect

  /// The segment in front of the signature.
  public static let path = "/info"

  /// Checks a configuration, and applies every preset once.
  ///
  /// - Parameter configuration: The configuration of images, with the presets and allowed options of `/info` in place of those
  ///   of images. Its prefix is the one in front of `/info`.
  public init(
    _ configuration: ImgproxyDialect.Configuration = ImgproxyDialect.Configuration()
  ) throws(ImageURLError) {
    self.configuration = configuration
    var plain = configuration
    plain.edition = .pro
    plain.presets = PresetTable()
    plain.onlyPresets = false
    plain.allowedOptions = nil
    var prefix = Substring(configuration.pathPrefix)
    while prefix.hasSuffix("/") { prefix.removeLast() }
    plain.pathPrefix = prefix + Self.path
    base = try ImgproxyDialect(plain)
    for name in configuration.presets.names {
      var reading = InfoReading(base, configuration, now: nil)
      try reading.apply(preset: name, at: .init(segment: 0, text: name), within: [])
    }
  }

  /// Reads a request target, as it came over the wire: verifies its signature, then reads the rest.
  ///
  /// `now`, in seconds since 1970, refuses expired URLs and signatures of keys that are no longer valid.
  public func parse(_ target: String, at now: Int64? = nil) throws(ImageURLError) -> InfoRequest {
    let parts = try base.split(target)
    let verification = try configuration.signature.verify(parts.signature, of: parts.path, at: now)
    let segments = Array(parts.path.utf8)[...].split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var reading = InfoReading(base, configuration, now: now)
    let count = try reading.read(segments)
    let place = ImageURLError.Place(
      segment: count, text: count < segments.count ? String(decoding: segments[count], as: UTF8.self) : "")
    let read = try base.source(segments[count...], at: place)
    return InfoRequest(
      options: reading.options, source: read.source, presets: reading.presets, verification: verification)
  }

  /// The path and signature: the part of a URL behind the host. Presets come before the options.
  public func url(
    for source: String, _ options: InfoOptions = InfoOptions(), presets: [String] = [],
    encoding: ImgproxyDialect.SourceEncoding = .base64, signedAt now: Int64? = nil
  ) throws(ImageURLError) -> String {
    url(path: try path(for: source, options, presets: presets, encoding: encoding), at: now)
  }

  /// The path and signature for a path that was written before, with a slash in front. It is neither read nor checked.
  public func url(path: String, at now: Int64? = nil) -> String { base.url(path: path, at: now) }

  /// The path behind the signature: the text that is signed.
  public func path(
    for source: String, _ options: InfoOptions = InfoOptions(), presets: [String] = [],
    encoding: ImgproxyDialect.SourceEncoding = .base64
  ) throws(ImageURLError) -> String {
    let written = configuration.onlyPresets ? [] : try segments(of: options)
    guard !configuration.onlyPresets || options == InfoOptions() && !presets.isEmpty else {
      throw WrittenArguments.unwritable("a URL of presets alone", "it has options, or no preset")
    }
    var segments = written
    if !presets.isEmpty {
      let names = (configuration.onlyPresets ? [] : ["pr"]) + presets
      segments.insert(names.joined(separator: configuration.separator), at: 0)
    }
    let source = try base.path(for: source, encoding: encoding)
    return segments.map { "/" + $0 }.joined() + source
  }

  private func segments(of options: InfoOptions) throws(ImageURLError) -> [String] {
    var segments: [String] = []
    for row in InfoTable.rows {
      var arguments = WrittenArguments(row.names[0], isPro: true)
      row.write(options, &arguments)
      guard !arguments.texts.isEmpty else { continue }
      let texts = try arguments.finished()
      for text in texts where base.arguments(of: Array(text.utf8)[...]) != nil {
        throw WrittenArguments.unwritable(row.names[0], "\"\(text.prefix(32))\" has a separator")
      }
      segments.append(([row.shortName] + texts).joined(separator: configuration.separator))
    }
    return segments
  }
}
