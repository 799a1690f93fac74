import CalotypeServing
import CalotypeSettings
import CalotypeURLs

/// The values of variables, as the loader of settings reads them.
enum SettingCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    if vector.input.hasPrefix("pattern ") { return pattern(vector) }
    guard let type = types.first(where: { vector.input.hasPrefix($0.name + " ") }) else {
      return .refused("an unknown type")
    }
    let argument = vector.input.dropFirst(type.name.count + 1)
    var environment = ["CALOTYPE_ALLOW_UNSIGNED": "true"]
    var files: [String: String] = [:]
    if type.name == "file" {
      environment["IMGPROXY_PRESETS_PATH"] = "presets"
      if !argument.hasPrefix("missing") { files["presets"] = "# comment\n\n  one=w:1  \n\n# two\ntwo=w:2\n" }
    } else {
      let text = type.name == "enum" ? word(argument) : quoted(argument)
      environment["IMGPROXY_" + type.variable] = text
      if type.name == "hex" { environment["IMGPROXY_SALT"] = text }
    }
    let settings: Settings
    do {
      settings = try SettingsLoader.load(
        SettingsInputs(environment: environment, files: VectorFiles(files))
      ).settings
    } catch {
      return .answer("error: \(error)", agrees: vector.expected.hasPrefix("error"))
    }
    let found = type.text(settings)
    let expected = vector.expected
    let agrees =
      found == expected || expected == "parsed" || expected.hasPrefix("matches")
      || type.name == "file" && expected.hasPrefix("skipped") && found == "one two"
      || expected.hasSuffix("entries")
        && words.firstIndex { expected.hasPrefix($0) } == settings.urls.replacements.count
    return .answer(found, agrees: agrees && !expected.hasPrefix("error"))
  }

  private static let words = ["no", "one", "two", "three", "four", "five"]

  private struct Kind: Sendable {
    let name: String
    /// The variable of imgproxy with this type whose value is read.
    let variable: String
    let text: @Sendable (Settings) -> String
  }

  private static let types: [Kind] = [
    Kind(name: "bool", variable: "AUTO_WEBP") { String($0.formats.autoWebP) },
    Kind(name: "int", variable: "MAX_CLIENTS") { String($0.server.maxClients) },
    Kind(name: "float", variable: "UNSHARP_MASKING_WEIGHT") { number($0.processing.unsharpWeight) },
    Kind(name: "MP", variable: "MAX_SRC_RESOLUTION") { String($0.limits.sourcePixels) },
    Kind(name: "duration", variable: "TIMEOUT") { "\($0.server.timeout.components.seconds)s" },
    Kind(name: "enum", variable: "LOG_FORMAT") { "matches \($0.logging.format.rawValue)" },
    Kind(name: "list", variable: "TRUSTED_SIGNATURES") {
      $0.security.trustedSignatures.map(\.exposed).joined(separator: " ")
    },
    Kind(name: "url path", variable: "PATH_PREFIX") { $0.server.pathPrefix },
    Kind(name: "formats", variable: "PREFERRED_FORMATS") {
      $0.formats.preferred.map(\.rawValue).joined(separator: " ")
    },
    Kind(name: "qualities", variable: "FORMAT_QUALITY") { settings in
      settings.formats.formatQuality.sorted { $0.key < $1.key }.map { "\($0.key.rawValue)=\($0.value)" }
        .joined(separator: " ")
    },
    Kind(name: "hex", variable: "KEY") { settings in
      settings.security.keys.map { String(decoding: $0.exposed, as: UTF8.self) }.joined(separator: ", ")
    },
    Kind(name: "map", variable: "URL_REPLACEMENTS") { settings in
      settings.urls.replacements.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    },
    Kind(name: "file", variable: "PRESETS_PATH") { presets($0) },
    Kind(name: "time", variable: "LAST_MODIFIED_BUSTER") { "\($0.httpCache.lastModifiedBuster ?? 0)" },
  ]

  /// The names of the presets that the dialect has.
  private static func presets(_ settings: Settings) -> String {
    (try? settings.dialect())?.presets.names.joined(separator: " ") ?? ""
  }

  /// `PRESETS=preset1,preset2 PRESETS_PATH=file(file_preset1,file_preset2)`
  static func presetFile(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let words = Words(vector.input).values
    var environment = ["CALOTYPE_ALLOW_UNSIGNED": "true", "IMGPROXY_PRESETS_PATH": "presets"]
    func definitions(_ text: String) -> [String] { text.split(separator: ",").map { "\($0)=w:1" } }
    let names = words["PRESETS"] ?? ""
    environment["IMGPROXY_PRESETS"] = definitions(names).joined(separator: ",")
    var files: [String: String] = [:]
    let file = words["PRESETS_PATH"] ?? ""
    if file.hasPrefix("file(") {
      files["presets"] = definitions(String(file.dropFirst(5).dropLast())).joined(separator: "\n")
    }
    do {
      let settings = try SettingsLoader.load(
        SettingsInputs(environment: environment, files: VectorFiles(files))
      ).settings
      let found = presets(settings)
      let expected = (names + "," + file.dropFirst(5).dropLast()).split(separator: ",").map(String.init)
        .sorted()
      return .answer(found, agrees: found == expected.joined(separator: " "))
    } catch {
      return .answer("start-up error", agrees: vector.expected.hasPrefix("start-up error"))
    }
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(value)
  }

  /// `pattern images/*/photo.jpg against images/a/b/photo.jpg`
  private static func pattern(_ vector: ConformanceVector) -> ConformanceVerdict {
    let parts = vector.input.dropFirst(8).split(separator: " against ", maxSplits: 1)
    guard parts.count == 2 else { return .refused("no pattern") }
    let matches = SourcePattern(quoted(parts[0])).matches(quoted(parts[1]))
    return .answer(matches ? "match" : "no match", agrees: vector.expected.hasPrefix("no") != matches)
  }

  /// The words of vectors are not those of our settings: the first in the same case stands for them.
  private static func word(_ text: Substring) -> String {
    let text = text.prefix(before: " ").trimmed(of: "\"")
    guard ["SMALL", "MEDIUM", "LARGE"].contains(text.uppercased()) else { return text }
    if text == text.uppercased() { return "JSON" }
    return text == text.lowercased() ? "json" : "Json"
  }

  /// The text between the first and the last quotes; all of it without quotes.
  private static func quoted(_ text: Substring) -> String {
    guard let first = text.firstIndex(of: "\""), let last = text.lastIndex(of: "\""), first < last else {
      return text.trimmed(of: " ")
    }
    return String(text[text.index(after: first)..<last])
  }
}
