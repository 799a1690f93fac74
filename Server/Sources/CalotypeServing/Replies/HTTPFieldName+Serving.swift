import HTTPTypes

extension HTTPFields {
  /// Sets the field `Vary` to names, each once; without any, it stays as it is.
  mutating func setVary(_ names: [String]) {
    var known: Set<String> = []
    let distinct = names.filter { known.insert($0.lowercased()).inserted }
    if !distinct.isEmpty { self[.vary] = distinct.joined(separator: ", ") }
  }
}

extension HTTPField.Name {
  static let link = named("Link")
  static let fallback = named("X-Fallback")
  static let cacheTag = named("Cache-Tag")
  static let amazonCacheTag = named("x-amz-meta-cache-tag")
  static let originContentLength = named("X-Origin-Content-Length")
  static let originWidth = named("X-Origin-Width")
  static let originHeight = named("X-Origin-Height")
  static let resultWidth = named("X-Result-Width")
  static let resultHeight = named("X-Result-Height")
  static let notices = named("X-Calotype-Notices")
  static let serverTiming = named("Server-Timing")
  static let requestID = named("X-Request-ID")
  static let fetchSite = named("Sec-Fetch-Site")
  static let referrerPolicy = named("Referrer-Policy")
  static let crossOriginOpenerPolicy = named("Cross-Origin-Opener-Policy")
  static let traceParent = named("traceparent")
  static let traceState = named("tracestate")

  /// Names that are known to be well formed.
  private static func named(_ name: String) -> Self {
    guard let name = Self(name) else { preconditionFailure("\(name) is a field name") }
    return name
  }
}
