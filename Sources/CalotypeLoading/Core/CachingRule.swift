/// How long caches may keep bytes that a loader delivered.
public enum CachingRule: Hashable, Sendable {
  /// By the rules of HTTP: status and header fields of the response decide (RFC 9111). A response without a status, which
  /// says nothing about its age, is kept until it is evicted.
  case http
  /// For so long, whatever the response says: for sources that cannot be validated. A response with bytes that never
  /// change, such as those of content-addressed storage, may take years.
  case lifetime(Duration)
  /// Never: each request loads.
  case never

  /// ``http`` for `http` and `https` URLs, ``never`` for all others.
  static func standard(for source: ImageSource) -> CachingRule {
    source.scheme == "http" || source.scheme == "https" ? .http : .never
  }
}
