/// The bounds and permissions of the options of a URL while they are read: those of images and of `/info` are the same.
struct OptionGate {
  /// The configuration.
  let configuration: ImgproxyDialect.Configuration
  /// Seconds since 1970, to refuse expired URLs.
  let now: Int64?
  private var count = 0

  init(_ configuration: ImgproxyDialect.Configuration, now: Int64?) {
    (self.configuration, self.now) = (configuration, now)
  }

  /// Counts an option of the URL.
  mutating func countOption(at place: ImageURLError.Place) throws(ImageURLError) {
    count += 1
    guard count <= configuration.limits.options else {
      throw ImageURLError(
        .tooManyOptions, at: place, "more than \(configuration.limits.options) options", remedy: "use presets"
      )
    }
  }

  /// Refuses an option that the URL may not have.
  ///
  /// - Parameter synonyms: The names of the option.
  func allow(
    _ name: String, synonyms: @autoclosure () -> [String], at place: ImageURLError.Place
  ) throws(ImageURLError) {
    guard let allowed = configuration.allowedOptions, !allowed.isEmpty, !allowed.contains(name) else {
      return
    }
    if configuration.allowedOptionsCoverSynonyms, synonyms().contains(where: allowed.contains) { return }
    throw ImageURLError(
      .forbiddenOption, at: place, "the option \(name.prefix(32)) is not allowed",
      remedy: "leave it out, or allow it")
  }

  /// Returns a preset; `nil` for one within itself, which is skipped.
  ///
  /// - Parameter outer: The presets that name it.
  func preset(
    _ name: String, within outer: [String], at place: ImageURLError.Place
  ) throws(ImageURLError) -> PresetTable.Preset? {
    guard let preset = configuration.presets.presets[name] else {
      throw ImageURLError(
        .unknownPreset, at: place, "there is no preset \"\(name.prefix(32))\"",
        remedy: "define it, or check the name")
    }
    guard !outer.contains(name) else { return nil }
    guard outer.count < configuration.limits.presetDepth else {
      throw ImageURLError(
        .presetsTooDeep, at: place,
        "presets name each other more than \(configuration.limits.presetDepth) deep",
        remedy: "write their options out")
    }
    return preset
  }

  /// Refuses a URL whose time is over.
  func verify(expires moment: Int64?, at place: ImageURLError.Place) throws(ImageURLError) {
    if let now, let moment, moment > 0, moment < now {
      throw ImageURLError(.expired, at: place, "the URL has expired", remedy: "ask for a new one")
    }
  }

  /// Returns the error of an option that needs something that this package does not have.
  static func unsupported(_ name: String, need: String, at place: ImageURLError.Place) -> ImageURLError {
    ImageURLError(
      .unsupportedOption, at: place, "\(name) needs \(need), which is not supported", remedy: "leave it out")
  }

  /// Returns the error of a segment of a preset that is no option.
  func notAnOption(at place: ImageURLError.Place) -> ImageURLError {
    ImageURLError(
      .invalidPreset, at: place, "an option without arguments",
      remedy: "write name\(configuration.separator)value")
  }
}
