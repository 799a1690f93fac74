import CalotypeServing
import CalotypeURLs
import FoundationEssentials

/// Paths: how they are divided and repaired, and the sources in them.
enum PathCases {
  static func split(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let words = Words(vector.input)
    let dialect = try ImgproxyDialect.with {
      $0.pathPrefix = words.values["prefix"] ?? words.values["PATH_PREFIX"] ?? ""
    }
    guard let target = words.others.last else { return .refused("no target") }
    let found: ImgproxyDialect.SplitTarget
    do throws(ImageURLError) {
      found = try dialect.split(target)
    } catch {
      return .answer("\(error.status)", expected: vector.expected.prefix(before: " "))
    }
    let expected = Words(vector.expected).values
    let agrees =
      !vector.expected.hasPrefix("404") && expected["path"].map { $0 == found.path } ?? true
      && expected["signature"].map { $0 == found.signature } ?? true
    return .answer("signature=\(found.signature) path=\(found.path)", agrees: agrees)
  }

  static func repair(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    if vector.input == "(empty)" {
      return .refused("a splitter refuses an empty path before it repairs it")
    }
    return .answer(try ImgproxyDialect().split("/s/" + vector.input).path, expected: vector.expected)
  }

  /// The parts of the name of an object.
  private static func object(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let text = vector.input.prefix(before: " ")
    let separator = Words(vector.input).values["separator"] ?? "?"
    let resolver = SourceResolver(querySeparator: separator, readsBuckets: true)
    let url = try resolver.resolve(String(text)).url
    let version = url.query(percentEncoded: false).map { String($0.dropFirst("versionId=".count)) } ?? ""
    let key = url.path(percentEncoded: false).dropFirst()
    return .answer(
      "bucket=\(url.host() ?? "") key=\(key) query=\(version)", expected: vector.expected)
  }

  static func source(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    if vector.input.hasPrefix("s3://") { return try object(vector) }
    var configuration = ImgproxyDialect.Configuration()
    var path: String?
    var source: String?
    for word in vector.input.split(separator: " ").map(String.init) {
      let value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) } ?? ""
      switch word.prefix(before: "=") {
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
      return .answer(try dialect.parse(path: written).source, expected: vector.expected.prefix(before: " "))
    }
    guard let path else { return .refused("no path") }
    let request: ImgproxyRequest
    do throws(ImageURLError) {
      request = try dialect.parse(path: path)
    } catch {
      return .answer("\(error.status)", expected: vector.expected.prefix(before: " "))
    }
    let found = ["url": request.source, "format": request.options.format?.rawValue ?? "unset"]
    let expected = Words(vector.expected).values
    guard !vector.expected.hasPrefix("404") else { return .answer(request.source, agrees: false) }
    let same = expected.allSatisfy { name, value in
      found[name].map { $0 == value }
        ?? OptionText(request.options, of: String(path.split(separator: "/")[0])).has(name, value)
    }
    return .answer("url=\(request.source) format=\(found["format"] ?? "")", agrees: same)
  }
}
