import CalotypeURLs

/// Presets.
enum PresetCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let input = vector.input
    if input.contains("PRESETS_PATH") { return .refused("files of settings are not evaluated yet") }
    if input.hasPrefix("define ") { return define(vector) }
    if let mark = input.firstRange(of: " in /") {
      let definition = input[..<mark.lowerBound].replacing("Pro: ", with: "")
      let dialect = try ImgproxyDialect.with { $0.presets = try PresetTable([String(definition)]) }
      let found = try dialect.options(String(input[mark.upperBound...]))
      let expected = try ImgproxyDialect().options(vector.expected.trimmed(of: "/"))
      return .answer("\(found.stages.count) stages", agrees: found == expected)
    }
    let isOnly = input.contains("ONLY_PRESETS")
    var definitions = Words(input).values.filter { $0.value.contains(":") }.map {
      "\($0.key)=\($0.value.trimmed(of: ",;"))"
    }
    // "same" refers to the table of the row before.
    if definitions.isEmpty { definitions = ["test1=blur:0.2", "test2=quality:50"] }
    let dialect = try ImgproxyDialect.with {
      $0.presets = try PresetTable(definitions)
      $0.onlyPresets = isOnly
    }
    guard let path = input.split(separator: " ").last(where: { $0.hasPrefix("/") }) else {
      return .refused("no path")
    }
    let request: ImgproxyRequest
    do throws(ImageURLError) {
      request = try dialect.parse(path: String(path).replacing("/…", with: "/plain/http://a/b"))
    } catch {
      return .answer("\(error.status)", expected: vector.expected.prefix(before: " "))
    }
    let description = OptionText(request.options, of: "")
    let used = "[" + request.presets.joined(separator: ",") + "]"
    let expected = Words(vector.expected).values
    guard !expected.isEmpty else { return .refused("the answer has no known form") }
    let found = expected.keys.sorted().map { name in
      "\(name)=\(name == "used" ? used : description[name] ?? "none")"
    }
    return .answer(
      found.joined(separator: " "),
      agrees: expected.allSatisfy { $0.key == "used" ? $0.value == used : description.has($0.key, $0.value) })
  }

  /// A definition, alone.
  private static func define(_ vector: ConformanceVector) -> ConformanceVerdict {
    let definition = vector.input.dropFirst(7).prefix(before: "(").trimmed(of: " \"")
    var count = 0
    let status = ImgproxyDialect.status {
      let table = try PresetTable([definition])
      count = table.names.count
      _ = try ImgproxyDialect.with { $0.presets = table }
    }
    let found = status != 200 ? "start-up error" : count == 0 ? "ignored" : "defined"
    let isError = vector.expected.hasPrefix("start-up error")
    let isIgnored = vector.expected.hasPrefix("ignored")
    return .answer(found, agrees: found == (isError ? "start-up error" : isIgnored ? "ignored" : "defined"))
  }
}
