/// The results that a purge selects.
public enum PurgeSelection: Hashable, Sendable {
  /// All results.
  case all
  /// The result of one identity.
  case identity(String)
  /// The results of one source.
  case source(String)
  /// The results of all sources whose URL begins with a text.
  case prefix(String)
  /// The results that carry a tag.
  case tag(String)

  /// Returns whether a result is selected.
  public func contains(_ result: ResultFacts) -> Bool {
    switch self {
    case .all: true
    case .identity(let identity): result.identity == identity
    case .source(let source): result.source.utf8.elementsEqual(source.utf8)
    case .prefix(let prefix): result.source.utf8.starts(with: prefix.utf8)
    case .tag(let tag): result.tags.contains(tag)
    }
  }
}
