import CalotypeCaching
import CalotypeImaging
import CalotypePlanning
import CalotypeResults
import CalotypeSettings
import CalotypeURLs
import FoundationEssentials
import HTTPTypes

/// Facts about images: `/info/signature/options/source`.
extension ImageServer {
  /// Answers a request for facts: as one for an image, with an object of JSON as its result.
  ///
  /// - Parameter subject: Set to the image as soon as it is known.
  /// - Throws: The errors that ``Failure/init(_:)`` knows.
  func info(
    _ request: HTTPRequest, _ rules: ServingRules, _ subject: inout RequestSubject?
  ) throws -> Answer {
    try authorize(request, rules)
    let parsed = try rules.info.parse(
      request.path ?? "", at: Int64(now().timeIntervalSince1970.rounded(.down)))
    let source = try rules.sources.resolve(parsed.source)
    let passed = PassedFields(rules.settings)
    let passedFields = passed.fields(of: request, to: source)
    let options = parsed.options
    let identity = ResultIdentity(
      info: options, source: source.text,
      variants: passed.variants(of: request) + passedFields.map { "\($0.name): \($0.value)" }, rules: rules)
    let order = ImageOrder(
      options: options.processing, source: source, identity: identity,
      accept: CalotypePlanning.AcceptHeader(""), hints: ClientHints(largestRatio: 1) { _ in nil },
      passedFields: passedFields, rules: rules, info: options)
    return answer(to: request, order, &subject)
  }
}

extension ResultIdentity {
  /// - Parameters:
  ///   - info: The facts that are asked for.
  ///   - source: The text of the source.
  ///   - variants: The values of the headers and cookies that settings count in.
  init(info: InfoOptions, source: String, variants: [String], rules: ServingRules) {
    var info = info
    info.expires = nil
    info.cacheTags.sort()
    info.bypassesCache = false
    var lines = [Self.engine, rules.policyDigest, "info " + String(reflecting: info)]
    for variant in variants { lines.append("\(variant.utf8.count):\(variant)") }
    // Last: it is any text.
    lines.append(source)
    self.init(key: CacheKey(lines.joined(separator: "\n"), source: source))
  }
}
