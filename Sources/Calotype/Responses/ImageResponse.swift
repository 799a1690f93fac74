public import CalotypeImaging

/// A finished image and where it came from.
public struct ImageResponse: Sendable {
  /// Where the image was found.
  public enum Source: String, Hashable, Sendable {
    /// In the memory cache, as asked for.
    case memory
    /// In the disk cache, as asked for.
    case disk
    /// Made from the original in the disk cache.
    case diskOriginal
    /// Made from what the loader delivered.
    case loader
  }

  /// The image: upright, transformed, sized as asked for.
  public let image: Image
  /// Where it was found.
  public let source: Source
  /// Whether the original is known to be past its freshness: the request, the response or the configuration allow that.
  public let isStale: Bool
  /// Encoded bytes that it was decoded from; `nil` when it came from memory.
  public let byteCount: Int?
  /// From the start of the job to the image.
  public let duration: Duration

  /// Creates a response.
  public init(image: Image, source: Source, byteCount: Int?, duration: Duration, isStale: Bool = false) {
    self.image = image
    self.isStale = isStale
    self.source = source
    self.byteCount = byteCount
    self.duration = duration
  }
}
