import CalotypeCaching
import CalotypeLoading

/// What makes two requests one job: the same identity, by the same rules. Deadlines count: nobody's load may end
/// because somebody else was in a hurry.
struct JobKey: Hashable {
  let key: CacheKey
  let policy: CachePolicy
  let timeouts: LoadTimeouts
}
