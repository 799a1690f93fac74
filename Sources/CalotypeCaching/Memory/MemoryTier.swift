/// A namespace for the types that all ``MemoryCache``s share.
///
/// They are not nested in ``MemoryCache``, because that is generic: statistics of two caches would then be of different types.
public enum MemoryTier {}
