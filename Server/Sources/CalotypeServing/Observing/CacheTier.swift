/// A cache of a server, the fastest first.
enum CacheTier: String, CaseIterable, Sendable {
  case memory, disk
  /// Small results in Redis.
  case redis
  case bucket
}
