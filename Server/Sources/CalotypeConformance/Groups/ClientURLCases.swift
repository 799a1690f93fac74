import CalotypeURLs

/// URLs of other clients: they are read, and written in a form that is read as the same values.
enum ClientURLCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    if vector.input.contains("info") { return .refused("paths of information are not evaluated yet") }
    let text = vector.expected.prefix(before: " ")
    guard !text.isEmpty, !text.hasPrefix("parses") else { return .refused("the answer is no path") }
    let isPresets = vector.input.contains("presets")
    let cipher = try SourceCipher(key: Array(0..<16))
    let dialect = try ImgproxyDialect.with {
      $0.presets = try PresetTable(["preset1=w:1", "preset2=h:2"])
      $0.onlyPresets = isPresets
      $0.base64IncludesFilename = vector.input.contains("filename")
      $0.cipher = cipher
    }
    var path = text.replacing("<text>", with: try cipher.encrypt("http://a/b"))
    if !path.contains("plain/"), !path.contains("enc/") { path += "/plain/http://a/b" }
    let request: ImgproxyRequest
    do throws(ImageURLError) {
      request = try dialect.parse(path: path)
    } catch {
      return error.fault == .unsupportedOption
        ? .refused("the option needs a model or a video") : .answer(error.description, agrees: false)
    }
    if isPresets { return .answer(request.presets.joined(separator: ":"), agrees: true) }
    let written = try dialect.url(for: request.source, request.options)
    return .answer(written, agrees: try dialect.parse(written).options == request.options)
  }
}
