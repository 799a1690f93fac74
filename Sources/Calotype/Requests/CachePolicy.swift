/// Which caches a request may read and write.
public enum CachePolicy: String, Hashable, Sendable, CaseIterable {
  /// Trust what is cached until it expires by age; store what is loaded.
  case useAge
  /// Ask the loader, whatever is cached; store the result.
  case reload
  /// Never ask the loader.
  case cacheOnly
  /// Ask the loader and leave the caches alone.
  case loaderOnly

  var readsCaches: Bool { self == .useAge || self == .cacheOnly }
  var writesCaches: Bool { self != .loaderOnly }
}
