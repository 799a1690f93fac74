/// How long caches may keep bytes that a loader delivered.
public enum CachingRule: Hashable, Sendable {
  /// By the rules of HTTP: status and header fields of the response decide (RFC 9111). A response without a status has
  /// no lifetime and is kept until it is evicted.
  case http
  /// For a fixed time, regardless of the response: for sources that cannot be revalidated. For immutable bytes, as in
  /// content-addressed storage, years are appropriate.
  case lifetime(Duration)
  /// Without a limit, as long as the source has this version: it is part of the keys, and determined anew at each use.
  case version(String)
  /// Never: each request loads the bytes.
  case never

  /// ``http`` for `http` and `https` URLs, ``never`` for all others.
  static func standard(for source: ImageSource) -> CachingRule {
    source.scheme == "http" || source.scheme == "https" ? .http : .never
  }
}
