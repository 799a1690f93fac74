/// What purges select a result by.
public struct ResultFacts: Hashable, Sendable {
  /// The identity of the result.
  public var identity: String
  /// The canonical URL of its source.
  public var source: String
  /// The tags of the request.
  public var tags: [String]

  /// Describes a result.
  public init(identity: String, source: String, tags: [String] = []) {
    self.identity = identity
    self.source = source
    self.tags = tags
  }
}
