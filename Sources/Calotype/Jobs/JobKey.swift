import CalotypeCaching
import CalotypeLoading
import HTTPTypes

/// What makes two requests one job: the same identity, by the same rules. Deadlines count: nobody's load may end
/// because somebody else was in a hurry.
struct JobKey: Hashable {
  let key: CacheKey
  let policy: CachePolicy
  let timeouts: LoadTimeouts
  /// What the request itself says of caching, which is no part of its identity.
  let directives: [String]
  /// Whether nobody takes what is stale while the server is asked.
  var waits = false

  init(_ key: CacheKey, of request: ImageRequest, policy: CachePolicy, waits: Bool = false) {
    self.key = key
    self.policy = policy
    timeouts = request.timeouts
    directives =
      request.hasCacheDirectives
      ? request.headers[values: .cacheControl] + request.headers[values: .pragma] : []
    self.waits = waits
  }
}
