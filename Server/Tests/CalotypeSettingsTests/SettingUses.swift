import FoundationEssentials

/// The properties of settings that the code of the server reads, found in its source text.
///
/// A read is a chain that begins with `settings.server.`, or with a name that stands for a group in its file:
/// `let server = settings.server`, or a parameter of the type `Settings.Server`.
struct SettingUses {
  /// The property of each row, such as `server.bind`, by the name of the row.
  let properties: [String: String]
  /// The properties that code outside of CalotypeSettings reads. The reader of URLs is made of settings in an extension of them,
  /// and counts as such code; the vectors of CalotypeConformance repeat values, and have no effect.
  let read: Set<String>

  private struct Group {
    let property: String
    let type: String
  }

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let settings = folder.appending(path: "CalotypeSettings")
    let all = try Self.text(settings.appending(path: "Settings/Settings.swift"))
    let groups = all.matches(of: #/public var (\w+) = (\w+)\(\)/#).map {
      Group(property: String($0.1), type: String($0.2))
    }
    var properties: [String: String] = [:]
    for file in try Self.files(in: settings.appending(path: "Table")) {
      for match in try Self.text(file).matches(of: #/Setting\(\s*"([A-Z0-9_]+)",\s*\\\.([\w.]+),/#) {
        properties[String(match.1)] = String(match.2)
      }
    }
    var read: Set<String> = []
    for target in [
      "CalotypePlanning", "CalotypeAdmission", "CalotypeResults", "CalotypeServing", "calotype-server",
    ] {
      for file in try Self.files(in: folder.appending(path: target)) {
        let text = try Self.text(file)
        for group in groups { read.formUnion(try Self.reads(of: group, in: text)) }
      }
    }
    let dialect = try Self.text(settings.appending(path: "Settings/Settings+Dialect.swift"))
    for group in groups { read.formUnion(try Self.members(of: group.property, group, in: dialect)) }
    self.properties = properties
    self.read = read
  }

  private static func reads(of group: Group, in text: String) throws -> Set<String> {
    var names: Set<String> = []
    let constants = try Regex(
      #"(?:let|var) (\w+)(?:: [\w.]+)? = (?:\w+\.)*settings\.\#(group.property)\b(?!\.)"#)
    let parameters = try Regex(#"\b(\w+): (?:CalotypeSettings\.)?Settings\.\#(group.type)\b(?!\.)"#)
    for match in text.matches(of: constants) + text.matches(of: parameters) {
      if let name = match[1].substring { names.insert(String(name)) }
    }
    var result = try members(of: #"(?:\w+\.)*settings\.\#(group.property)"#, group, in: text)
    for name in names { result.formUnion(try members(of: name, group, in: text)) }
    return result
  }

  /// Returns the properties of a group whose chain begins with a pattern.
  private static func members(of pattern: String, _ group: Group, in text: String) throws -> Set<String> {
    let chain = try Regex(#"(?:^|[^\w.])\#(pattern)\.((?:s3\.)?\w+)"#)
    return Set(text.matches(of: chain).compactMap { $0[1].substring.map { "\(group.property).\($0)" } })
  }

  private static func files(in folder: URL) throws -> [URL] {
    var files: [URL] = []
    let path = folder.path()
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) where name.hasSuffix(".swift") {
      files.append(folder.appending(path: name))
    }
    return files
  }

  /// The text of a file without comments.
  private static func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self).replacing(#/\/\/[^\n]*/#, with: "")
  }
}
