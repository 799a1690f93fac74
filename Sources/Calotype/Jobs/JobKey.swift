import CalotypeCaching

/// What makes two requests one job: the same identity, by the same rules.
struct JobKey: Hashable {
  let key: CacheKey
  let policy: CachePolicy
}
