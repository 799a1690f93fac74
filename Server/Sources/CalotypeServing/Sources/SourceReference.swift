public import Calotype
public import FoundationEssentials

/// A source that the server may read.
public struct SourceReference: Sendable {
  /// The kind of a source.
  public enum Kind: Hashable, Sendable {
    /// A URL of HTTP.
    case http
    /// A file below the root of local sources.
    case local
  }

  /// The text of the URL of the server: the name of the source in caches and purges.
  public let text: String
  /// The kind.
  public let kind: Kind
  /// The URL that is read.
  public let url: URL
  /// The origin whose jobs share the workers with those of other origins.
  public let share: String

  /// The source as the pipeline reads it.
  public var imageSource: ImageSource { .url(url) }
}
