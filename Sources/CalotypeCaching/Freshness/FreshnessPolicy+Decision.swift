public import FoundationEssentials
public import HTTPTypes

extension FreshnessPolicy {
  /// The decision of a ``FreshnessPolicy`` how to answer a request.
  public enum Decision: Hashable, Sendable {
    /// Use the stored response. It is fresh until the given time.
    case fresh(until: Date)
    /// Use the stored response although it has been stale since the given time: the request accepts that.
    case stale(since: Date)
    /// Use the stored response at once, and revalidate it afterwards with these fields added to the request.
    case staleWhileRevalidate(HTTPFields)
    /// Revalidate: ask the server with these fields added to the request, and use the stored response after a 304.
    case revalidate(HTTPFields)
    /// Ask the server. No stored response can be used, regardless of the answer.
    case load
    /// The request accepts only a stored response (`only-if-cached`), and none can be used.
    case unavailable
  }
}
