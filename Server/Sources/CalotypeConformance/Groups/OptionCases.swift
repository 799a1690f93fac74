import CalotypeURLs
import FoundationEssentials

/// Options, one or several at a time.
enum OptionCases {
  static func evaluate(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let isAllowed = vector.input.hasSuffix("(on)")
    let text = vector.input.replacing(" (on)", with: "")
    let expected = vector.expected
    let dialect = try ImgproxyDialect.with {
      $0.edition = expected.contains("OSS") ? .openSource : .pro
      $0.allowsSecurityOptions = isAllowed
    }
    let request: ImgproxyRequest
    do throws(ImageURLError) {
      request = try dialect.parse(
        path: text + "/plain/http://a/b", at: Int64(Date().timeIntervalSince1970))
    } catch {
      let isRefused =
        expected.hasPrefix("404") && !expected.hasSuffix(": accept") || expected.hasPrefix("403")
        || expected.hasSuffix("; refuse")
      let status = expected.hasPrefix("403") ? 403 : 404
      return .answer("\(error.status)", agrees: isRefused && error.status == status)
    }
    let options = request.options
    if expected.hasSuffix(": accept") { return .answer("accepted", agrees: true) }
    if expected.hasPrefix("404") || expected.hasPrefix("403") || expected.hasSuffix("; refuse") {
      return .answer("accepted", agrees: false)
    }
    let words = Words(expected).values
    let description = OptionText(options, of: text)
    if !words.isEmpty, words.keys.allSatisfy({ description[$0] != nil || $0 == "x" || $0 == "y" }) {
      let found = words.keys.sorted().map { "\($0)=\(description[$0] ?? "none")" }.joined(separator: " ")
      return .answer(found, agrees: words.allSatisfy { description.has($0.key, $0.value) })
    }
    guard let plain = OptionSentence.spelling(expected, of: text),
      let same = try? ImgproxyDialect.permissive().options(plain)
    else { return .refused("the answer has no known form") }
    return .answer(plain, agrees: same.normalized() == options.normalized())
  }

  static func allow(_ vector: ConformanceVector) throws -> ConformanceVerdict {
    let words = Words(vector.input)
    let dialect = try ImgproxyDialect.with {
      $0.allowedOptions = Set((words.values["ALLOWED"] ?? "").split(separator: ",").map(String.init))
      $0.presets = try PresetTable(
        words.values.filter { $0.key != "ALLOWED" }.map { "\($0.key)=\($0.value)" })
    }
    guard let text = words.others.last else { return .refused("no options") }
    let status = ImgproxyDialect.status { _ = try dialect.options(text) }
    return .answer(status == 200 ? "ok" : "\(status)", expected: vector.expected.prefix(before: " "))
  }
}
