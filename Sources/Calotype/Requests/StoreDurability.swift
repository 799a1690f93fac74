/// When a request is answered, as far as caches are concerned.
public enum StoreDurability: String, Hashable, Sendable, CaseIterable {
  /// As soon as there is an image. What is to be stored on disk is stored meanwhile; memory comes first anyway.
  case none
  /// When everything that is to be stored can be read from the caches.
  case stored
  /// When it would survive the machine losing its power, as far as the cache can tell: it is flushed.
  case flushed
}
