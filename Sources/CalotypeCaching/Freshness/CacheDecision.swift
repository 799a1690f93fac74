public import FoundationEssentials
public import HTTPTypes

/// What a ``FreshnessPolicy`` makes of a request for which something may be stored.
public enum CacheDecision: Hashable, Sendable {
  /// Use what is stored. It is fresh until then.
  case fresh(until: Date)
  /// Use what is stored, though it is stale since then: the request accepts that.
  case stale(since: Date)
  /// Use what is stored at once, and ask the server afterwards with these fields added to the request.
  case staleWhileRevalidate(HTTPFields)
  /// Ask the server with these fields added to the request; if it answers 304, use what is stored.
  case revalidate(HTTPFields)
  /// Ask the server: nothing that is stored can be used, whatever it answers.
  case load
  /// The request wants nothing but what is stored (`only-if-cached`), and that cannot be used.
  case unavailable
}
