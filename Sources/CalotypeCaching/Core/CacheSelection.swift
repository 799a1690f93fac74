/// Cached things that are removed together, in whatever sizes and forms they are kept.
public enum CacheSelection: Hashable, Sendable {
  /// Whatever was made from this source: all keys whose ``CacheKey/source`` is this.
  case source(String)
  /// Whatever was made from a source that begins so, such as all images of a host.
  case sourcePrefix(String)
  /// Whatever was stored with this tag.
  case tag(String)

  /// Whether it takes in a thing with this source and these tags. Texts are compared byte by byte.
  public func contains(source: String, tags: some Collection<String>) -> Bool {
    switch self {
    case .source(let wanted): source.utf8.elementsEqual(wanted.utf8)
    case .sourcePrefix(let prefix): source.utf8.starts(with: prefix.utf8)
    case .tag(let tag): tags.contains { $0.utf8.elementsEqual(tag.utf8) }
    }
  }
}
