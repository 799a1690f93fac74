import Calotype
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeCLI
@testable import CalotypeTerminal

/// Names, header fields and metadata that others have chosen: they are told, and nothing else happens.
@Suite("Hostile text", .timeLimit(.minutes(5)))
struct HostileTextTests {
  private static let count = 1000
  private let folder: Tool.Folder

  init() throws { folder = try Tool.Folder() }

  private func check(_ run: Tool.Run, _ comment: String) {
    let found = HostileText.found(in: run.output + run.errors).map { String($0.value, radix: 16) }
    #expect(found.isEmpty, "\(comment): \(found.sorted())")
  }

  private func bytes(_ texts: [String?]) -> [[UInt8]] { texts.map { Array(($0 ?? "").utf8) } }

  /// Files with hostile names, of which every second is there, and is an image.
  private func files() throws -> [String] {
    let names = HostileText.make(Self.count, seed: 1, without: ["/"]).map { folder.path + "/" + $0 }
    let photo = try SampleImages.still(width: 2, height: 2)
    for (index, name) in names.enumerated() where index % 2 == 0 { try photo.write(to: URL(filePath: name)) }
    return names
  }

  @Test("names of files", arguments: ["info", "get", "convert"])
  func names(command: String) throws {
    let names = try files()
    let out = folder.path + "/out/"
    switch command {
    case "convert":
      // One at a time.
      for name in names.prefix(40) {
        check(try Tool.run("convert", name, folder.path + "/a.png", "--json"), "JSON")
      }
      for name in names.prefix(40) { check(try Tool.run("convert", name, folder.path + "/a.png"), "text") }
      return
    case "info":
      check(try Tool.run(["info"] + names), "text")
    default:
      check(try Tool.run(["get", "--no-cache", "-o", out] + names), "text")
    }
    let json =
      command == "info" ? ["info", "--json"] : ["get", "--json", "--events", "--no-cache", "-o", out]
    let run = try Tool.run(json + names)
    check(run, "JSON")
    #expect(run.status == 1)
    let told = Set(bytes(try run.jsonLines().map(\.source)))
    #expect(told == Set(bytes(names)))
    if command == "get" {
      let written = try FileManager.default.contentsOfDirectory(atPath: out)
      #expect(written.count == Self.count / 2)
      #expect(written.allSatisfy { HostileText.found(in: $0).isEmpty })
    }
  }

  @Test("lines of a list")
  func lines() throws {
    let lines = HostileText.make(Self.count, seed: 2, without: ["\n"]).map { "x" + $0 + "y" }
    let urls = lines.enumerated().map { $0 % 10 == 0 ? "http://127.0.0.1:1/" + $1 : $1 }
    let list = folder.file("list")
    try Data(urls.joined(separator: "\n").utf8).write(to: URL(filePath: list))
    let options = ["prefetch", list, "--retries", "0", "--cache-dir", folder.file("cache")]
    let text = try Tool.run(options)
    #expect(text.errors.split(separator: "\n").count >= Self.count)
    check(text, "text")
    let json = try Tool.run(options + ["--json"])
    check(json, "JSON")
    #expect(Set(bytes(try json.jsonLines().map(\.source))) == Set(bytes(urls)))
  }

  @Test("what servers say and what is kept of it")
  func records() async throws {
    struct Record: Decodable {
      let source: String
      let key: String
      let contentType: String?
      let etag: String?
      let tags: [String]
    }
    let folder = URL(filePath: folder.file("cache"), directoryHint: .isDirectory)
    let texts = HostileText.make(Self.count, seed: 3)
    let cache = DiskCache(.init(folder: folder))
    for (index, text) in texts.enumerated() {
      let fields: HTTPFields = [.eTag: "\"\(text.filter { $0 != "\"" })\"", .contentType: text]
      let response = StoredResponse(
        status: 200, fields: fields, request: [:], requestTime: .now, responseTime: .now)
      let metadata = RecordMetadata(
        contentType: index % 3 == 0 ? nil : text, response: index % 3 == 0 ? response : nil, tags: [text])
      try cache.handOver(Data([1]), metadata: metadata, for: CacheKey("key " + text, source: text))
    }
    try await cache.flush()
    let options = ["cache", "list", "--cache-dir", folder.path]
    check(try Tool.run(options), "text")
    let json = try Tool.run(options + ["--json"])
    check(json, "JSON")
    let records = try json.output.split(separator: "\n").map {
      try JSONDecoder().decode(Record.self, from: Data($0.utf8))
    }
    #expect(Set(bytes(records.map(\.source))) == Set(bytes(texts)))
    #expect(Set(bytes(records.map(\.key))) == Set(bytes(texts.map { "key " + $0 })))
    #expect(Set(bytes(records.flatMap(\.tags))) == Set(bytes(texts)))
    #expect(records.compactMap(\.contentType).count == Self.count - (Self.count + 2) / 3)
    // A folder, and what is said of it.
    for name in HostileText.make(20, seed: 4, without: ["/"]) {
      for command in ["path", "stats", "list", "verify", "trim", "clear"] {
        for form in [[], ["--json"]] {
          check(
            try Tool.run(["cache", command, "--cache-dir", "/tmp/\(name)/none"] + form), "cache \(command)")
        }
      }
    }
  }

  @Test("names of colour profiles")
  func profiles() throws {
    let names = HostileText.make(200, seed: 5)
    var options = EncodeOptions(format: .png)
    options.keeps = [.icc]
    let paths = try names.enumerated().map { index, name in
      let image = Image(
        bitmap: try SampleImages.bitmap(width: 2, height: 2), profile: .icc(Self.profile(named: name)))
      let path = folder.file("\(index).png")
      try CoderRegistry.standard.encode(image, as: options).write(to: URL(filePath: path))
      return path
    }
    let text = try Tool.run(["info"] + paths)
    check(text, "text")
    #expect(text.status == 0 && text.output.contains("colour profile"))
    let json = try Tool.run(["info", "--json"] + paths)
    check(json, "JSON")
    #expect(try json.jsonLines().compactMap(\.colorProfile).count == names.count)
  }

  @Test("cells of terminals: captions, progress, reasons")
  func cells() {
    for (index, text) in HostileText.make(Self.count, seed: 6).enumerated() {
      let cells = 1 + index % 70
      var shown = [TerminalText(text).text, TerminalText.tail(of: text, cells: cells).text]
      shown.append(TerminalText.head(of: text, cells: cells).text)
      shown += TerminalText.lines(of: text, cells: cells).map(\.text)
      shown.append(BrowseItem(text: "/tmp/" + text).name)
      var screen = ProgressScreen(total: 2)
      screen.begin(0, label: text)
      screen.label = text
      shown[shown.count - 1] = TerminalText(shown[shown.count - 1]).text
      shown += screen.lines(columns: 80, rows: 24, at: .now)
      #expect(HostileText.found(in: shown.joined(separator: "\n")).isEmpty, "\(text.debugDescription)")
      #expect(TerminalText.tail(of: text, cells: cells).width <= cells)
    }
  }

  @Test("emoji and scripts that need joiners are left alone")
  func joiners() {
    for text in ["👨‍👩‍👧", "❤️", "می‌خواهم", "क्‍ष", "🏳️‍🌈"] { #expect(SanitizedText.escaped(text) == text) }
    #expect(SanitizedText.escaped("pay\u{200D}pal") == "pay\\u{200D}pal")
    #expect(
      SanitizedText.escaped("é\u{200D}\u{200D}\u{FE0F}\u{FE0F}") == "é\u{200D}\\u{200D}\\u{FE0F}\\u{FE0F}")
    #expect(SanitizedText.escaped("a\n\t\u{1B}\u{202E}") == "a\\n\\t\\u{1B}\\u{202E}")
    #expect(SanitizedText.escaped(json: "\"\u{9B}é\u{E0041}\"") == "\"\\u009bé\\udb40\\udc41\"")
  }

  // MARK: Files

  /// A profile that says nothing but its name (ICC.1:2022, 10.15).
  private static func profile(named name: String) -> Data {
    func number(_ value: Int) -> Data { withUnsafeBytes(of: UInt32(value).bigEndian) { Data($0) } }
    let units = name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    var text = Data("mluc".utf8) + number(0) + number(1) + number(12) + Data("enUS".utf8)
    text += number(units.count) + number(28) + units
    var profile = Data(count: 128)
    profile.replaceSubrange(12..<24, with: Data("mntrRGB XYZ ".utf8))
    profile.replaceSubrange(36..<40, with: Data("acsp".utf8))
    profile += number(1) + Data("desc".utf8) + number(144) + number(text.count) + text
    profile.replaceSubrange(0..<4, with: number(profile.count))
    return profile
  }
}
