/// Options while they are read, from the first preset to the last segment.
struct OptionReading {
  let dialect: ImgproxyDialect
  private var gate: OptionGate
  var options = ProcessingOptions()
  var presets: [String] = []
  var notices: [ImageURLNotice] = []
  /// Whether options are recorded, for people.
  var records = false
  private(set) var recorded: [ReadOption] = []

  init(_ dialect: ImgproxyDialect, now: Int64?) {
    self.dialect = dialect
    gate = OptionGate(dialect.configuration, now: now)
  }

  private var configuration: ImgproxyDialect.Configuration { dialect.configuration }
  private var isPro: Bool { configuration.edition == .pro }

  /// Reads the options at the start of some segments. Returns the number of segments that they take.
  mutating func read(_ segments: [ArraySlice<UInt8>]) throws(ImageURLError) -> Int {
    var stage = 0
    for (index, segment) in segments.enumerated() {
      if isPro, segment.elementsEqual("-".utf8) {
        try advance(&stage, at: place(index, segment))
        continue
      }
      guard let parts = dialect.arguments(of: segment) else { return index }
      let place = place(index, segment)
      try gate.countOption(at: place)
      let name = String(decoding: parts[0], as: UTF8.self)
      try gate.allow(name, synonyms: OptionTable.synonyms(of: name), at: place)
      try apply(name, parts.dropFirst(), to: stage, at: place, within: [])
    }
    return segments.count
  }

  /// Applies presets that the URL names.
  mutating func apply(
    presets names: ArraySlice<ArraySlice<UInt8>>, to stage: Int, at place: ImageURLError.Place,
    within outer: [String]
  ) throws(ImageURLError) {
    for name in names {
      // Those in presets are the server's own.
      if outer.isEmpty { try gate.countOption(at: place) }
      try apply(preset: String(decoding: name, as: UTF8.self), to: stage, at: place, within: outer)
    }
  }

  /// Applies a preset, each of its pipelines to the corresponding one from `stage` on.
  mutating func apply(
    preset name: String, to stage: Int, at place: ImageURLError.Place, within outer: [String]
  ) throws(ImageURLError) {
    guard let preset = try gate.preset(name, within: outer, at: place) else {
      notices.append(ImageURLNotice(.recursivePreset, at: place))
      return
    }
    presets.append(name)
    var stage = stage
    for (index, segment) in preset.segments.enumerated() {
      let place = ImageURLError.Place(
        segment: index, text: String(decoding: segment, as: UTF8.self), preset: name, line: preset.line)
      if isPro, segment.elementsEqual("-".utf8) {
        try advance(&stage, at: place)
        continue
      }
      guard let parts = dialect.arguments(of: segment[...]) else { throw gate.notAnOption(at: place) }
      try apply(
        String(decoding: parts[0], as: UTF8.self), parts.dropFirst(), to: stage, at: place,
        within: outer + [name])
    }
  }

  private mutating func apply(
    _ name: String, _ values: ArraySlice<ArraySlice<UInt8>>, to stage: Int, at place: ImageURLError.Place,
    within outer: [String]
  ) throws(ImageURLError) {
    guard let entry = OptionTable.entries[name], isPro || !entry.isPro else {
      throw ImageURLError(
        .unknownOption, at: place, "there is no option \"\(name.prefix(32))\"", remedy: "check the name")
    }
    if records { recorded.append(ReadOption(name, values, pipeline: stage, preset: outer.last)) }
    var arguments = OptionArguments(values, of: name, at: place, isPro: isPro)
    switch entry {
    case .preset: try apply(presets: values, to: stage, at: place, within: outer)
    case .unsupported(let need): throw OptionGate.unsupported(name, need: need, at: place)
    case .stage(let row): try row.read(&arguments, &options.stages[stage])
    case .whole(let row):
      try meet(row.requirement, of: name, at: place)
      try row.read(&arguments, &options)
      if row.names[0] == "expires" { try gate.verify(expires: options.expires, at: place) }
    }
    notices += arguments.notices
  }

  private mutating func advance(_ stage: inout Int, at place: ImageURLError.Place) throws(ImageURLError) {
    stage += 1
    guard stage < configuration.limits.stages else {
      throw ImageURLError(
        .tooManyStages, at: place, "more than \(configuration.limits.stages) pipelines", remedy: "chain fewer"
      )
    }
    if stage == options.stages.count { options.stages.append(ProcessingStage()) }
  }

  private func meet(
    _ requirement: OptionRow<ProcessingOptions>.Requirement?, of name: String, at place: ImageURLError.Place
  ) throws(ImageURLError) {
    try dialect.meet(requirement, of: name, at: place)
  }

  private func place(_ index: Int, _ segment: ArraySlice<UInt8>) -> ImageURLError.Place {
    .init(segment: index, text: String(decoding: segment, as: UTF8.self))
  }
}

extension ImgproxyDialect {
  /// The name and the arguments of a segment, or `nil` if it has no separator.
  func arguments(of segment: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    var parts: [ArraySlice<UInt8>] = []
    var start = segment.startIndex
    var position = start
    while position < segment.endIndex {
      if segment[position] == separator[0], segment[position...].starts(with: separator) {
        parts.append(segment[start..<position])
        position += separator.count
        start = position
      } else {
        position += 1
      }
    }
    guard !parts.isEmpty else { return nil }
    return parts + [segment[start...]]
  }

  /// Refuses an option whose setting is off.
  func meet(
    _ requirement: OptionRow<ProcessingOptions>.Requirement?, of name: String, at place: ImageURLError.Place?
  ) throws(ImageURLError) {
    switch requirement {
    case .security where !configuration.allowsSecurityOptions:
      throw ImageURLError(
        .securityOption, at: place, "\(name) changes a limit, which is not allowed",
        remedy: "leave it out, or allow security options")
    case .bypassingCache where !configuration.allowsBypassingCache:
      throw ImageURLError(
        .cacheBypass, at: place, "\(name) is not allowed",
        remedy: "leave it out, or allow bypassing the cache")
    default: break
    }
  }

  /// Applies each preset on its own.
  func checkPresets() throws(ImageURLError) {
    for name in configuration.presets.names {
      var reading = OptionReading(self, now: nil)
      try reading.apply(preset: name, to: 0, at: .init(segment: 0, text: name), within: [])
    }
  }
}
