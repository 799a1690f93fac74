import Calotype
import CalotypePlanning
import CalotypeSettings
import CalotypeURLs
import Crypto

/// Everything that a result depends on, but for the bytes of its source: the key of caches, and of work that requests share.
///
/// Not part of it: the signature, the order and spelling of options, `expires`, `filename` and `attachment`. Keys rotate without
/// losing results, and the many `Accept` fields of browsers share few. `cache_tags` are part of it, so that a purge of a tag
/// finds the result of every request that carries it.
struct ResultIdentity: Sendable {
  /// The version of the code that makes results. Another one makes all stored results unknown.
  static let engine = "calotype 2"

  /// The key.
  let key: CacheKey
  /// The text of the identity in logs and purges.
  var text: String { String(key.hexDigest.prefix(32)) }

  /// The identity of a key.
  init(key: CacheKey) { self.key = key }

  /// - Parameters:
  ///   - source: The text of the source.
  ///   - options: The options of the URL.
  ///   - accept: The field `Accept`.
  ///   - hints: The client hints.
  ///   - variants: The values of the headers and cookies that settings count in.
  init(
    source: String, options: ProcessingOptions, accept: CalotypePlanning.AcceptHeader, hints: ClientHints,
    variants: [String],
    rules: ServingRules
  ) {
    var lines = [Self.engine, rules.policyDigest]
    lines.append(rules.canonicalText(of: options))
    lines.append(Self.outcomes(accept, options: options, rules.planner.policy))
    if rules.planner.policy.usesClientHints {
      lines.append("dpr=\(hints.dpr ?? 0) width=\(hints.width ?? 0)")
    }
    for variant in variants { lines.append("\(variant.utf8.count):\(variant)") }
    // Last: it is any text.
    lines.append(source)
    key = CacheKey(lines.joined(separator: "\n"), source: source)
  }

  /// The comparisons that choose a format, with their outcomes; empty when nothing is negotiated.
  private static func outcomes(
    _ accept: CalotypePlanning.AcceptHeader, options: ProcessingOptions, _ policy: PlanningPolicy
  ) -> String {
    // The best format is negotiated like none.
    let isOpen = options.format == nil || options.format == .best
    let offered =
      isOpen
      ? policy.automaticFormats.union(policy.enforcedFormats) : policy.enforcedFormats
    guard !offered.isEmpty else { return "" }
    let client = ClientFormats(policy, accept: accept)
    let names = client.preferred.map(\.rawValue).joined(separator: ",")
    guard isOpen else { return names }
    // A client may prefer the format that it gets otherwise.
    let preferences = client.preferred.map { format in
      let weight = accept.weight(of: format.mediaType)
      return String(
        policy.preferredFormats.map { weight >= accept.weight(of: $0.mediaType) ? Character("1") : "0" })
    }
    return names + " " + preferences.joined(separator: ",")
  }
}

extension ServingRules {
  /// The options of a URL in their canonical spelling, without those that do not change the result.
  func canonicalText(of options: ProcessingOptions) -> String {
    var options = options
    options.expires = nil
    options.filename = nil
    options.returnsAttachment = nil
    options.cacheTags = Array(Set(options.cacheTags)).sorted()
    options.bypassesCache = nil
    options = options.normalized()
    // Options that no path can say are still told apart by their description.
    return (try? canonical.path(for: "s", options)) ?? String(reflecting: options)
  }

  /// A digest of the settings that change results.
  static func policyDigest(of settings: Settings) -> String {
    let groups: Set<SettingGroup> = [.formats, .quality, .processing, .limits, .watermark]
    let text = SettingTable.rows.filter { groups.contains($0.group) && !$0.isSecret }.map {
      "\($0.name)=\($0.text(in: settings))"
    }
    return HexText.text(SHA256.hash(data: Array(text.joined(separator: "\n").utf8)).prefix(12))
  }
}
