/// Options of `/info` while they are read, from the first preset to the last segment.
struct InfoReading {
  private let base: ImgproxyDialect
  private let configuration: ImgproxyDialect.Configuration
  private let now: Int64?
  private(set) var options = InfoOptions()
  private(set) var presets: [String] = []
  private var count = 0

  init(_ base: ImgproxyDialect, _ configuration: ImgproxyDialect.Configuration, now: Int64?) {
    (self.base, self.configuration, self.now) = (base, configuration, now)
  }

  /// Reads the options at the start of some segments. Returns the number of segments that they take.
  mutating func read(_ segments: [ArraySlice<UInt8>]) throws(ImageURLError) -> Int {
    let first = ImageURLError.Place(segment: 0, text: String(decoding: segments[0], as: UTF8.self))
    if configuration.presets.presets["default"] != nil {
      try apply(preset: "default", at: first, within: [])
    }
    if configuration.onlyPresets {
      try apply(presets: (base.arguments(of: segments[0]) ?? [segments[0]])[...], at: first, within: [])
      return 1
    }
    for (index, segment) in segments.enumerated() {
      guard let parts = base.arguments(of: segment) else { return index }
      let place = ImageURLError.Place(segment: index, text: String(decoding: segment, as: UTF8.self))
      try countOption(at: place)
      let name = String(decoding: parts[0], as: UTF8.self)
      try allow(name, at: place)
      try apply(name, parts.dropFirst(), at: place, within: [])
    }
    return segments.count
  }

  /// Applies a preset.
  mutating func apply(
    preset name: String, at place: ImageURLError.Place, within outer: [String]
  ) throws(ImageURLError) {
    guard let preset = configuration.presets.presets[name] else {
      throw ImageURLError(
        .unknownPreset, at: place, "there is no preset \"\(name.prefix(32))\"",
        remedy: "define it for /info, or check the name")
    }
    // A preset that names itself is skipped, as for images.
    guard !outer.contains(name) else { return }
    guard outer.count < configuration.limits.presetDepth else {
      throw ImageURLError(
        .presetsTooDeep, at: place,
        "presets name each other more than \(configuration.limits.presetDepth) deep",
        remedy: "write their options out")
    }
    presets.append(name)
    for (index, segment) in preset.segments.enumerated() {
      let place = ImageURLError.Place(
        segment: index, text: String(decoding: segment, as: UTF8.self), preset: name, line: preset.line)
      guard let parts = base.arguments(of: segment[...]) else {
        throw ImageURLError(
          .invalidPreset, at: place, "an option without arguments",
          remedy: "write name\(configuration.separator)value")
      }
      try apply(
        String(decoding: parts[0], as: UTF8.self), parts.dropFirst(), at: place, within: outer + [name])
    }
  }

  private mutating func apply(
    presets names: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place, within outer: [String]
  ) throws(ImageURLError) {
    for name in names {
      if outer.isEmpty { try countOption(at: place) }
      try apply(preset: String(decoding: name, as: UTF8.self), at: place, within: outer)
    }
  }

  private mutating func apply(
    _ name: String, _ values: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place,
    within outer: [String]
  ) throws(ImageURLError) {
    switch InfoTable.entries[name] {
    case nil:
      throw ImageURLError(
        .unknownOption, at: place, "/info has no option \"\(name.prefix(32))\"", remedy: "check the name")
    case .preset: try apply(presets: values, at: place, within: outer)
    case .unsupported(let need):
      throw ImageURLError(
        .unsupportedOption, at: place, "\(name) needs \(need), which is not supported",
        remedy: "leave it out")
    case .row(let row):
      let requirement: OptionRow<ProcessingOptions>.Requirement? =
        switch row.requirement {
        case .security: .security
        case .bypassingCache: .bypassingCache
        case nil: nil
        }
      try base.meet(requirement, of: name, at: place)
      var arguments = OptionArguments(values, of: name, at: place, isPro: true)
      try row.read(&arguments, &options)
      if row.names[0] == "expires", let now, let moment = options.expires, moment > 0, moment < now {
        throw ImageURLError(.expired, at: place, "the URL has expired", remedy: "ask for a new one")
      }
    }
  }

  private mutating func countOption(at place: ImageURLError.Place) throws(ImageURLError) {
    count += 1
    guard count <= configuration.limits.options else {
      throw ImageURLError(
        .tooManyOptions, at: place, "more than \(configuration.limits.options) options", remedy: "use presets"
      )
    }
  }

  private func allow(_ name: String, at place: ImageURLError.Place) throws(ImageURLError) {
    guard let allowed = configuration.allowedOptions, !allowed.isEmpty, !allowed.contains(name) else {
      return
    }
    if configuration.allowedOptionsCoverSynonyms,
      InfoTable.synonyms(of: name).contains(where: allowed.contains)
    {
      return
    }
    throw ImageURLError(
      .forbiddenOption, at: place, "the option \(name.prefix(32)) is not allowed",
      remedy: "leave it out, or allow it")
  }
}
