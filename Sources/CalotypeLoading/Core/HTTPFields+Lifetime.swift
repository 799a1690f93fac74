import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// The caching rules that loaders need for parts of bodies and remembered failures.
extension HTTPFields {
  /// Whether `Cache-Control` says `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5): the exchange must not be stored.
  var forbidsStoring: Bool { cacheDirectives.contains { $0.name == "no-store" } }

  /// Whether `Cache-Control` says `no-store` or `private`: the response must not be stored in a shared cache.
  var forbidsSharedStoring: Bool {
    cacheDirectives.contains { $0.name == "no-store" || $0.name == "private" }
  }

  /// The explicit lifetime of a response in a private cache (RFC 9111 §4.2.1); `nil` if it declares none.
  var explicitLifetime: Duration? {
    let directives = cacheDirectives
    if directives.contains(where: { $0.name == "no-store" || $0.name == "no-cache" }) { return .zero }
    if let age = directives.first(where: { $0.name == "max-age" }) {
      return .seconds(age.value.flatMap { Int32($0) }.map { Swift.max(0, $0) } ?? 0)
    }
    guard let expires = self[.expires] else { return nil }
    let now = Int(Date().timeIntervalSince1970)
    // An invalid date counts as past (RFC 9111 §5.3).
    guard let end = HTTPDate(expires, now: now)?.secondsSince1970 else { return .zero }
    let start = self[.date].flatMap { HTTPDate($0, now: now) }?.secondsSince1970 ?? now
    return .seconds(Swift.max(0, Swift.min(end - start, Int(Int32.max))))
  }

  private var cacheDirectives: [(name: String, value: String?)] {
    self[values: .cacheControl].flatMap { $0.split(separator: ",") }.map { directive in
      let parts = directive.split(separator: "=", maxSplits: 1).map { part in
        part.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
      }
      return (parts.first?.lowercased() ?? "", parts.dropFirst().first)
    }
  }
}
