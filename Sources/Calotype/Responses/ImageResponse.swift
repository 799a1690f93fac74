public import CalotypeImaging
public import FoundationEssentials

/// A finished image, with its source and costs.
public struct ImageResponse: Sendable {
  /// The source of an image.
  public enum Source: String, Hashable, Sendable {
    /// The memory cache had the requested image.
    case memory
    /// The disk cache had the requested image.
    case disk
    /// The image was made from the original in the disk cache.
    case diskOriginal
    /// The image was made from the bytes of the loader.
    case loader
  }

  /// The image as requested: upright, transformed, downsampled.
  public var image: Image { contents.image }
  /// All frames, if the request asked for them and there are several.
  public var animation: AnimatedImage? { contents.animation }
  /// The encoded original, if the request asked for it.
  public var data: Data? { contents.data }
  /// The source of the image.
  public var source: Source { contents.source }
  /// Whether the original is known to be stale, as the request, the response or the configuration permits.
  public var isStale: Bool { contents.isStale }
  /// Whether the image is being revalidated; a later event reports the outcome.
  public var isBeingRevalidated: Bool { contents.isBeingRevalidated }
  /// Whether the original is damaged, so that the image has only the recoverable pixels;
  /// `DamagePolicy.strict` rejects it.
  public var isDamaged: Bool { image.isDamaged }
  /// The number of encoded bytes that the image was decoded from; `nil` for an image from memory.
  public var byteCount: Int? { contents.byteCount }
  /// The time from the start of the job to the image.
  public var duration: Duration { contents.duration }
  /// The duration of each stage. Empty for an image from memory.
  public var timings: ImageResponse.Timings { contents.timings }
  /// The outcomes of storing the image; `nil` while unknown, depending on ``ImageRequest/storeDurability``.
  public var stores: ImageResponse.StoreOutcomes? { contents.stores }

  /// An object, so that waiting callers reserve memory for a reference only.
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

  /// Returns the response with or without a pending revalidation.
  func revalidating(_ isBeingRevalidated: Bool) -> ImageResponse {
    ImageResponse(
      image: image, animation: animation, data: data, source: source, byteCount: byteCount,
      duration: duration,
      isStale: isStale, timings: timings, stores: stores, isBeingRevalidated: isBeingRevalidated)
  }

  /// The response after the server has confirmed it.
  package var confirmed: ImageResponse {
    ImageResponse(
      image: image, animation: animation, data: data, source: source, byteCount: byteCount,
      duration: duration,
      isStale: false, timings: timings, stores: stores)
  }

  /// The kind of the original, regardless of the request's processing; `nil` if unknown.
  public var kind: ImageResponse.Kind? {
    image.info.map { $0.frameCount > 1 ? .animated : .still }
  }
}
