public import CalotypeImaging
public import FoundationEssentials

/// A finished image, where it came from, and what it took.
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
  /// All frames, if the request asked for them and there are several.
  public let animation: AnimatedImage?
  /// The encoded original, if the request asked for it.
  public let data: Data?
  /// Where it was found.
  public let source: Source
  /// Whether the original is known to be past its freshness: the request, the response or the configuration allow that.
  public let isStale: Bool
  /// Encoded bytes that it was decoded from; `nil` when it came from memory.
  public let byteCount: Int?
  /// From the start of the job to the image.
  public let duration: Duration
  /// How long each stage took. Empty for an image from memory.
  public let timings: StageTimings
  /// What became of the image in the caches; `nil` while that is not known, as ``ImageRequest/storeDurability`` says.
  public let stores: StoreOutcomes?

  /// Creates a response.
  public init(
    image: Image, animation: AnimatedImage? = nil, data: Data? = nil, source: Source, byteCount: Int?,
    duration: Duration, isStale: Bool = false, timings: StageTimings = StageTimings(),
    stores: StoreOutcomes? = nil
  ) {
    self.image = image
    self.animation = animation
    self.data = data
    self.isStale = isStale
    self.source = source
    self.byteCount = byteCount
    self.duration = duration
    self.timings = timings
    self.stores = stores
  }

  /// Whether the original moves, whatever the request has made of it; `nil` if nobody knows.
  public var kind: ImageKind? {
    image.info.map { $0.frameCount > 1 ? .animated : .still }
  }
}
