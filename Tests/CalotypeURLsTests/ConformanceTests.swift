import CalotypeURLs
import FoundationEssentials
import Testing

/// The published and derived cases of imgproxy that concern URLs, from the file beside the checkout if it is there.
@Suite("Conformance with imgproxy")
struct ConformanceTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let id: String
    let group: String
    let input: String
    let expected: String
    var testDescription: String { id }
  }

  /// `CALOTYPE_CONFORMANCE`, or `shared/conformance/imgproxy-cases.tsv` beside the checkout.
  static let file: URL = {
    if let path = ProcessInfo.processInfo.environment["CALOTYPE_CONFORMANCE"] { return URL(filePath: path) }
    return URL(filePath: #filePath).appending(path: "../../../../shared/conformance/imgproxy-cases.tsv")
      .standardized
  }()

  static let cases: [Case] = {
    guard let data = try? Data(contentsOf: file) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      return fields.count < 4
        ? nil : Case(id: fields[0], group: fields[1], input: fields[2], expected: fields[3])
    }
  }()

  static func cases(_ groups: String...) -> [Case] { cases.filter { groups.contains($0.group) } }

  /// The words `name=value` of a text, and the others.
  static func words(_ text: String) -> (values: [String: String], others: [String]) {
    var values: [String: String] = [:]
    var others: [String] = []
    for word in text.split(separator: " ").map(String.init) {
      guard let mark = word.firstIndex(of: "="), mark != word.startIndex, !word.hasPrefix("/") else {
        others.append(word)
        continue
      }
      values[String(word[..<mark])] = String(word[word.index(after: mark)...])
    }
    return (values, others)
  }

  static func bytes(_ text: Substring) -> [UInt8] {
    if text.hasPrefix("hex:") { return CipherTests.hex(String(text.dropFirst(4))) }
    return Array((text.hasPrefix("utf8:") ? text.dropFirst(5) : text).utf8)
  }

  // Signatures: key, salt, size and trusted texts; a path and its signature, or a request, or the signature as the result.
  @Test(arguments: cases("sig")) func signatures(_ row: Case) throws {
    let (values, _) = Self.words(row.input)
    func list(_ names: String...) -> [Substring] {
      names.compactMap { values[$0] }.flatMap { text in
        let kind = ["utf8:", "hex:"].first { text.hasPrefix($0) } ?? ""
        return text.dropFirst(kind.count).split(separator: ",").map { Substring(kind + $0) }
      }
    }
    if row.expected.hasPrefix("start-up error") {
      let count = { (name: String) in
        Array(repeating: "00", count: Int(values[name] ?? "") ?? 0).joined(separator: ",")
      }
      #expect(
        fault {
          _ = try URLSignature(
            hexKeys: count("keys"), hexSalts: count("salts"), size: Int(values["size"] ?? "32") ?? 0)
        } != nil)
      return
    }
    let keys = try zip(list("key", "keys"), list("salt", "salts")).enumerated().map { index, pair in
      try URLSignature.Key(id: String(index + 1), key: Self.bytes(pair.0), salt: Self.bytes(pair.1))
    }
    let trusted = (values["trusted"] ?? "").split(separator: ",").map(String.init)
    let signature = try URLSignature(keys: keys, size: Int(values["size"] ?? "32") ?? 0, trusted: trusted)
    let dialect = try ImgproxyDialect.with { $0.signature = signature }
    let error = { (verify: () throws -> Void) -> Int? in
      do {
        try verify()
        return nil
      } catch { return (error as? ImageURLError)?.status }
    }
    if let request = values["request"] {
      let target = request.hasPrefix("/") ? request : "/" + request
      #expect(error { _ = try dialect.parse(target) } == (row.expected.hasPrefix("403") ? 403 : nil))
    } else if let path = values["path"], let text = values["signature"] {
      let found = error { _ = try signature.verify(text, of: path) }
      if row.expected.contains("strict server should refuse") {
        #expect(found == 403)
        var lenient = signature
        lenient.allowsMalleableTail = true
        #expect(error { _ = try lenient.verify(text, of: path) } == nil)
      } else {
        #expect(found == (row.expected.hasPrefix("invalid") || row.expected.hasPrefix("403") ? 403 : nil))
      }
    } else if let path = values["path"] {
      #expect(signature.sign(path) == row.expected)
    } else {
      Issue.record("no path")
    }
  }

  @Test(arguments: cases("path")) func paths(_ row: Case) throws {
    let (values, others) = Self.words(row.input)
    let dialect = try ImgproxyDialect.with { $0.pathPrefix = values["prefix"] ?? values["PATH_PREFIX"] ?? "" }
    let target = others.last ?? row.input
    guard !row.expected.hasPrefix("404") else {
      #expect(fault { _ = try dialect.split(target) } == .incompletePath)
      return
    }
    let split = try dialect.split(target)
    let (expected, _) = Self.words(row.expected)
    #expect(split.path == expected["path"])
    if let signature = expected["signature"] { #expect(split.signature == signature) }
  }

  @Test(arguments: cases("redenormalise")) func repairs(_ row: Case) throws {
    // The splitter refuses an empty path before it repairs it.
    if row.input == "(empty)" { return }
    #expect(try ImgproxyDialect().split("/s/" + row.input).path == row.expected)
  }

  @Test(arguments: cases("source")) func sources(_ row: Case) throws {
    // The query of a bucket is the loader's.
    if row.input.contains("separator=") { return }
    var configuration = ImgproxyDialect.Configuration()
    var path: String?
    var source: String?
    for word in row.input.split(separator: " ").map(String.init) {
      let value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? ""
      switch word.prefix(while: { $0 != "=" }) {
      case "BASE64_URL_INCLUDES_FILENAME": configuration.base64IncludesFilename = true
      case "BASE_URL": configuration.baseURL = value
      case "URL_REPLACEMENTS": configuration.replacements = try SourceReplacement.list(value)
      case "ARGUMENTS_SEPARATOR": configuration.separator = value
      case "source": source = value
      default: path = word
      }
    }
    let dialect = try ImgproxyDialect(configuration)
    if let source {
      let written = try ImgproxyDialect().path(for: source)
      #expect(try dialect.parse(path: written).source == String(row.expected.prefix { $0 != " " }))
      return
    }
    let text = try #require(path)
    guard !row.expected.hasPrefix("404") else {
      #expect(dialect.fault(path: text) != nil)
      return
    }
    let request = try dialect.parse(path: text)
    let (expected, _) = Self.words(row.expected)
    if let url = expected["url"] { #expect(request.source == url) }
    if let format = expected["format"] { #expect(request.options.format?.rawValue ?? "unset" == format) }
    try OptionExpectation(row.expected).check(request.options, of: String(text.split(separator: "/")[0]))
  }

  @Test(arguments: cases("option")) func options(_ row: Case) throws {
    let isAllowed = row.input.hasSuffix("(on)")
    let text = row.input.replacing(" (on)", with: "")
    let dialect = try ImgproxyDialect.with {
      $0.edition = row.expected.contains("OSS") ? .openSource : .pro
      $0.allowsSecurityOptions = isAllowed
    }
    let now = Int64(Date().timeIntervalSince1970)
    // imgproxy accepts nonsense here, or refuses a form that it documents.
    if row.expected.hasSuffix(": accept") {
      #expect(dialect.fault(text) == nil)
    } else if row.expected.hasSuffix("; refuse") || row.expected.hasPrefix("404")
      || row.expected.hasPrefix("403")
    {
      let error = try #require(throws: ImageURLError.self) { _ = try dialect.options(text, at: now) }
      #expect(error.status == (row.expected.hasPrefix("403") ? 403 : 404))
    } else {
      let options = try dialect.options(text, at: now)
      try OptionExpectation(row.expected).check(options, of: text)
    }
  }

  @Test(arguments: cases("allow")) func allowing(_ row: Case) throws {
    let (values, others) = Self.words(row.input)
    let dialect = try ImgproxyDialect.with {
      $0.allowedOptions = Set((values["ALLOWED"] ?? "").split(separator: ",").map(String.init))
      $0.presets = try PresetTable(values.filter { $0.key != "ALLOWED" }.map { "\($0.key)=\($0.value)" })
    }
    let text = try #require(others.last)
    #expect(dialect.fault(text) == (row.expected.hasPrefix("ok") ? nil : .forbiddenOption))
  }

  @Test(arguments: cases("preset")) func presets(_ row: Case) throws {
    if row.input.hasPrefix("define ") {
      let definition = String(row.input.dropFirst(7).prefix { $0 != "(" }).trimmed(of: " \"")
      if row.expected.hasPrefix("start-up error") {
        #expect(fault { _ = try PresetTests.dialect(definition) } != nil)
      } else if row.expected.hasPrefix("ignored") {
        #expect(try PresetTable([definition]).names.isEmpty)
      } else {
        #expect(try PresetTable([definition]).names.count == 1)
      }
    } else if row.input.contains(" in /"), let mark = row.input.firstRange(of: " in /") {
      let definition = row.input[..<mark.lowerBound].replacing("Pro: ", with: "")
      let dialect = try PresetTests.dialect(String(definition))
      let expected = try ImgproxyDialect().options(String(row.expected.dropFirst()))
      #expect(try dialect.options(String(row.input[mark.upperBound...])) == expected)
    } else if row.input.contains("PRESETS_PATH") {
      // Settings and their files are the server's.
    } else {
      let isOnly = row.input.contains("ONLY_PRESETS")
      var definitions = Self.words(row.input).values.filter { $0.value.contains(":") }.map {
        "\($0.key)=\($0.value)"
      }
      if definitions.isEmpty { definitions = ["test1=blur:0.2", "test2=quality:50"] }
      let dialect = try ImgproxyDialect.with {
        $0.presets = try PresetTable(definitions)
        $0.onlyPresets = isOnly
      }
      let path = try #require(row.input.split(separator: " ").map(String.init).last { $0.hasPrefix("/") })
      let request = try dialect.parse(path: path.replacing("/…", with: "/plain/http://a/b"))
      let (expected, _) = Self.words(row.expected)
      if let type = expected["type"] { #expect(request.options.resizingType?.rawValue == type) }
      if let blur = expected["blur"] { #expect(request.options.blur == Double(blur)) }
      if let quality = expected["quality"] { #expect(request.options.quality == Int(quality)) }
      if let format = expected["format"] { #expect(request.options.format?.rawValue == format) }
      if let used = expected["used"] { #expect("[" + request.presets.joined(separator: ",") + "]" == used) }
    }
  }

  @Test(arguments: cases("encrypt")) func encryption(_ row: Case) throws {
    let (values, _) = Self.words(row.input.replacing(" (24 B)", with: "").replacing(" (32 B)", with: ""))
    guard let source = values["url"], let vector = values["iv"] else {
      // A key of another length, or none.
      let count = row.input.split(separator: " ").compactMap { Int($0) }.first ?? 0
      #expect(fault { _ = try SourceCipher(key: Array(repeating: 1, count: count)) } == .invalidConfiguration)
      return
    }
    let documented = "hex:1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
    var key = values["key"] ?? documented
    // hex:000102…1617 stands for all numbers up to the last.
    if key.contains("…"), let last = Int(key.suffix(2), radix: 16) {
      key = "hex:" + (0...last).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    let text = try SourceCipher(key: Self.bytes(key[...])).encrypt(
      source, vector: .bytes(Self.bytes(vector[...])))
    #expect(text == row.expected.prefix { $0 != " " }.replacing("/", with: ""))
    let dialect = try ImgproxyDialect.with { $0.cipher = try SourceCipher(key: Self.bytes(key[...])) }
    #expect(try dialect.parse(path: "enc/" + String(row.expected.prefix { $0 != " " })).source == source)
  }

  /// URLs of other clients can be read, and written in a form that is read as the same values.
  @Test(arguments: cases("client-url")) func clients(_ row: Case) throws {
    // The paths of information are not those of images.
    if row.input.contains("info") { return }
    guard let text = row.expected.split(separator: " ").first.map(String.init),
      row.expected.hasPrefix("/") || !text.hasPrefix("parses")
    else { return }
    let isPresets = row.input.contains("presets")
    let dialect = try PresetTests.dialect("preset1=w:1", "preset2=h:2") {
      $0.onlyPresets = isPresets
      $0.base64IncludesFilename = row.input.contains("filename")
      $0.cipher = try? SourceCipher(key: Array(0..<16))
    }
    var path = text.replacing("<text>", with: try SourceCipher(key: Array(0..<16)).encrypt("http://a/b"))
    if !path.contains("plain/"), !path.contains("enc/") { path += "/plain/http://a/b" }
    // Options that need a model or a video.
    if dialect.fault(path: path) == .unsupportedOption {
      #expect(["vts:", "vtk:", "vtt:", "vta:", "bd:", "dd:", "op:", "ml"].contains { path.contains($0) })
      return
    }
    let request = try dialect.parse(path: path)
    #expect(!request.source.contains("%"))
    if !isPresets {
      #expect(try dialect.parse(dialect.url(for: request.source, request.options)).options == request.options)
    }
  }

  /// The options of cases that are about sizes and borders are at least read.
  @Test func optionsOfPlannersAreRead() throws {
    let dialect = try ImgproxyDialect.permissive(.openSource)
    for row in Self.cases {
      // Words about the source and the watermark stand between them.
      guard let mark = row.input.firstRange(of: "opts=") else { continue }
      for word in row.input[mark.upperBound...].split(separator: " ") where word.contains(":") {
        #expect(dialect.fault(String(word)) == nil, "\(row.id): \(word)")
      }
    }
  }
}

extension String {
  fileprivate func trimmed(of characters: String) -> String {
    var text = self[...]
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return String(text)
  }
}
