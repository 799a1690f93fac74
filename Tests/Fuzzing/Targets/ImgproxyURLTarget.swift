import CalotypeURLs

/// Reads the bytes as the target of a request, writes the values, and reads them again as the same.
enum ImgproxyURLTarget {
  private static func dialect(_ choices: FuzzInput.Choices) -> ImgproxyDialect? {
    var configuration = ImgproxyDialect.Configuration()
    configuration.edition = choices.contains(.allowsPartial) ? .openSource : .pro
    configuration.allowsSecurityOptions = choices.contains(.readsMetadata)
    configuration.allowsBypassingCache = choices.contains(.readsMetadata)
    configuration.base64IncludesFilename = choices.contains(.nativePixels)
    configuration.separator = choices.contains(.storedColors) ? "," : ":"
    configuration.cipher = try? SourceCipher(key: Array(0..<16))
    configuration.replacements = [SourceReplacement(pattern: "*a*b", replacement: "$2${1}")]
    guard choices.contains(.isSlice) else { return try? ImgproxyDialect(configuration) }
    let separator = configuration.separator
    // Chains are not of the open edition.
    let chain = configuration.edition == .pro ? "b=h:2/-/pr:a" : "b=h:2/pr:a"
    let definitions = ["default=q:1", "a=w:1/pr:b", chain].map { $0.replacing(":", with: separator) }
    if let presets = try? PresetTable(definitions) { configuration.presets = presets }
    configuration.onlyPresets = choices.contains(.shrinks)
    return try? ImgproxyDialect(configuration)
  }

  private static let dialects = (0...255).map { dialect(FuzzInput.Choices(rawValue: $0)) }
  private static let key = try? URLSignature(key: [1], salt: [2])

  static func run(_ input: FuzzInput) throws {
    guard let dialect = dialects[Int(input.choices.rawValue)] else { return }
    let target = input.bytes
    if let split = try? dialect.split(target), let key {
      // No text is a signature by chance.
      try FuzzFailure.unless(
        (try? key.verify(split.signature, of: split.path)) == nil, "a signature was forged")
      let text = key.sign(split.path)
      try FuzzFailure.unless((try? key.verify(text, of: split.path)) != nil, "a signature is refused")
    }
    guard let request = try? dialect.parse(target) else { return }
    try FuzzFailure.unless(
      request.options.stages.count <= dialect.configuration.limits.stages, "too many stages")
    try FuzzFailure.unless(!request.source.utf8.contains { $0 < 0x20 }, "a source with control characters")
    // Without presets and replacements, which a URL cannot leave out.
    var configuration = dialect.configuration
    configuration.presets = PresetTable()
    configuration.onlyPresets = false
    configuration.replacements = []
    configuration.limits.bytes *= 8
    configuration.limits.options *= 8
    let writer = try ImgproxyDialect(configuration)
    for encoding: ImgproxyDialect.SourceEncoding in [
      .plain, .base64(splitEvery: 1 + Int(input.first % 20)),
    ] {
      let url = try writer.url(for: request.source, request.options, encoding: encoding)
      let again = try writer.parse(url)
      try FuzzFailure.unless(again.options == request.options, "\(url) has other options")
      try FuzzFailure.unless(again.source == request.source, "\(url) has another source")
      let normalized = request.options.normalized()
      try FuzzFailure.unless(normalized.normalized() == normalized, "normalized twice it is another")
    }
  }
}
