/// Options of `/info` while they are read, from the first preset to the last segment.
struct InfoReading {
  private let base: ImgproxyDialect
  private var gate: OptionGate
  private(set) var options = InfoOptions()
  private(set) var presets: [String] = []

  init(_ base: ImgproxyDialect, _ configuration: ImgproxyDialect.Configuration, now: Int64?) {
    self.base = base
    gate = OptionGate(configuration, now: now)
  }

  private var configuration: ImgproxyDialect.Configuration { gate.configuration }

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
      try gate.countOption(at: place)
      let name = String(decoding: parts[0], as: UTF8.self)
      try gate.allow(name, synonyms: InfoTable.synonyms(of: name), at: place)
      try apply(name, parts.dropFirst(), at: place, within: [])
    }
    return segments.count
  }

  /// Applies a preset.
  mutating func apply(
    preset name: String, at place: ImageURLError.Place, within outer: [String]
  ) throws(ImageURLError) {
    guard let preset = try gate.preset(name, within: outer, at: place) else { return }
    presets.append(name)
    for (index, segment) in preset.segments.enumerated() {
      let place = ImageURLError.Place(
        segment: index, text: String(decoding: segment, as: UTF8.self), preset: name, line: preset.line)
      guard let parts = base.arguments(of: segment[...]) else { throw gate.notAnOption(at: place) }
      try apply(
        String(decoding: parts[0], as: UTF8.self), parts.dropFirst(), at: place, within: outer + [name])
    }
  }

  private mutating func apply(
    presets names: ArraySlice<ArraySlice<UInt8>>, at place: ImageURLError.Place, within outer: [String]
  ) throws(ImageURLError) {
    for name in names {
      if outer.isEmpty { try gate.countOption(at: place) }
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
    case .unsupported(let need): throw OptionGate.unsupported(name, need: need, at: place)
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
      if row.names[0] == "expires" { try gate.verify(expires: options.expires, at: place) }
    }
  }
}
