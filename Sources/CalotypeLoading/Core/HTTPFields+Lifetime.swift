import CalotypeSupport
import FoundationEssentials
import HTTPTypes

/// As much of caching as loaders have to know, which keep parts of bodies and failures.
extension HTTPFields {
  /// Whether `Cache-Control` says `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5): the exchange is kept nowhere.
  var forbidsStoring: Bool { cacheDirectives.contains { $0.name == "no-store" } }

  /// Whether `Cache-Control` says `no-store` or `private`: what is kept by somebody who serves many.
  var forbidsSharedStoring: Bool {
    cacheDirectives.contains { $0.name == "no-store" || $0.name == "private" }
  }

  /// How long a response says that it is right (RFC 9111 §4.2.1), for a private cache; `nil` where it says nothing.
  var explicitLifetime: Duration? {
    let directives = cacheDirectives
    if directives.contains(where: { $0.name == "no-store" || $0.name == "no-cache" }) { return .zero }
    if let age = directives.first(where: { $0.name == "max-age" }) {
      return .seconds(age.value.flatMap { Int32($0) }.map { Swift.max(0, $0) } ?? 0)
    }
    guard let expires = self[.expires] else { return nil }
    let now = Int(Date().timeIntervalSince1970)
    // What is no date has passed (RFC 9111 §5.3).
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
