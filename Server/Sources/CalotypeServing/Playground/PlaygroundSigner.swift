import CalotypeURLs

/// Signs paths for the playground: valid ones, for a short time.
struct PlaygroundSigner {
  /// The seconds after which a URL ends.
  static let lifetime: Int64 = 600
  /// The most paths of a request.
  static let maxPaths = 16

  let rules: ServingRules

  /// Returns the URL of a path that ends after ``lifetime``.
  ///
  /// - Parameters:
  ///   - path: The options and the source: the text behind the signature, with its first slash.
  ///   - isInfo: Whether it is one of `/info`.
  ///   - now: Seconds since 1970.
  /// - Throws: The error of the path; ``ImageURLError/Fault/unwritable`` for one that says itself when it ends, or that has
  ///   presets alone and so cannot say it.
  func url(for path: String, isInfo: Bool, at now: Int64) throws(ImageURLError) -> String {
    let configuration = isInfo ? rules.info.configuration : rules.dialect.configuration
    guard path.hasPrefix("/"), !configuration.onlyPresets else {
      throw ImageURLError(
        .unwritable,
        configuration.onlyPresets ? "URLs of presets alone cannot end" : "a path without a slash in front",
        remedy: "sign it with the keys of the server")
    }
    let end = now + Self.lifetime
    var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // The source begins at the first segment that is no option.
    let source = segments.firstIndex { !$0.contains(configuration.separator) && $0 != "-" }
    segments.insert("exp\(configuration.separator)\(end)", at: source ?? segments.endIndex)
    let signed = "/" + segments.joined(separator: "/")
    let url = isInfo ? rules.info.url(path: signed, at: now) : rules.dialect.url(path: signed, at: now)
    let expires =
      isInfo
      ? try rules.info.parse(url, at: now).options.expires
      : try rules.dialect.parse(url, at: now).options.expires
    guard expires == end else {
      throw ImageURLError(.unwritable, "a path that says itself when it ends", remedy: "leave expires out")
    }
    return url
  }
}
