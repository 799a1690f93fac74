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
  public var image: Image { contents.image }
  /// All frames, if the request asked for them and there are several.
  public var animation: AnimatedImage? { contents.animation }
  /// The encoded original, if the request asked for it.
  public var data: Data? { contents.data }
  /// Where it was found.
  public var source: Source { contents.source }
  /// Whether the original is known to be past its freshness: the request, the response or the configuration allow that.
  public var isStale: Bool { contents.isStale }
  /// Whether the server is being asked for a newer one: a later event says how that ends.
  public var isBeingRevalidated: Bool { contents.isBeingRevalidated }
  /// Whether the original is damaged and the pixels those that could be recovered; `DamagePolicy.strict` refuses it.
  public var isDamaged: Bool { image.isDamaged }
  /// Encoded bytes that it was decoded from; `nil` when it came from memory.
  public var byteCount: Int? { contents.byteCount }
  /// From the start of the job to the image.
  public var duration: Duration { contents.duration }
  /// How long each stage took. Empty for an image from memory.
  public var timings: ImageResponse.Timings { contents.timings }
  /// What became of the image in the caches; `nil` while that is not known, as ``ImageRequest/storeDurability`` says.
  public var stores: ImageResponse.StoreOutcomes? { contents.stores }

  /// In an object, so that callers that wait have room for a reference only.
  private let contents: Contents

  private final class Contents: Sendable {
    let image: Image
    let animation: AnimatedImage?
    let data: Data?
    let source: Source
    let isStale: Bool
    let isBeingRevalidated: Bool
    let byteCount: Int?
    let duration: Duration
    let timings: ImageResponse.Timings
    let stores: ImageResponse.StoreOutcomes?

    init(
      _ image: Image, _ animation: AnimatedImage?, _ data: Data?, _ source: Source, isStale: Bool,
      _ byteCount: Int?, _ duration: Duration, _ timings: ImageResponse.Timings,
      _ stores: ImageResponse.StoreOutcomes?,
      isBeingRevalidated: Bool
    ) {
      self.isBeingRevalidated = isBeingRevalidated
      (self.image, self.animation, self.data) = (image, animation, data)
      (self.source, self.isStale, self.byteCount) = (source, isStale, byteCount)
      (self.duration, self.timings, self.stores) = (duration, timings, stores)
    }
  }

  /// Creates a response.
  public init(
    image: Image, animation: AnimatedImage? = nil, data: Data? = nil, source: Source, byteCount: Int?,
    duration: Duration, isStale: Bool = false, timings: ImageResponse.Timings = ImageResponse.Timings(),
    stores: ImageResponse.StoreOutcomes? = nil, isBeingRevalidated: Bool = false
  ) {
    contents = Contents(
      image, animation, data, source, isStale: isStale, byteCount, duration, timings, stores,
      isBeingRevalidated: isBeingRevalidated)
  }

  /// The same, with or without a newer one to come.
  func revalidating(_ isBeingRevalidated: Bool) -> ImageResponse {
    ImageResponse(
      image: image, animation: animation, data: data, source: source, byteCount: byteCount,
      duration: duration,
      isStale: isStale, timings: timings, stores: stores, isBeingRevalidated: isBeingRevalidated)
  }

  /// The same, when the server has confirmed it.
  package var confirmed: ImageResponse {
    ImageResponse(
      image: image, animation: animation, data: data, source: source, byteCount: byteCount,
      duration: duration,
      isStale: false, timings: timings, stores: stores)
  }

  /// Whether the original moves, whatever the request has made of it; `nil` if nobody knows.
  public var kind: ImageResponse.Kind? {
    image.info.map { $0.frameCount > 1 ? .animated : .still }
  }
}
