import CalotypeResults
import CalotypeSettings

extension CacheControlRule {
  /// The rule of settings.
  init(_ settings: Settings.HTTPCache) {
    self.init()
    timeToLive = Int(settings.lifetime.components.seconds)
    fallbackTimeToLive = Int(settings.fallbackLifetime.components.seconds)
    passesThrough = settings.passesCacheControl
  }
}

extension OriginValidators {
  /// The rule of settings.
  init(_ settings: Settings.HTTPCache) {
    self.init()
    passesEntityTag = settings.setsETag
    passesLastModified = settings.setsLastModified
    entityTagBuster = settings.etagBuster
    lastModifiedBuster = settings.lastModifiedBuster.map { Int(clamping: $0) }
  }
}
