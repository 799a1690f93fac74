public import CalotypeImaging
public import FoundationEssentials

/// A finished image, with its source and costs.
public struct ImageResponse: Sendable {
  /// The source of an image.
  public enum Source: String, Hashable, Sendable {
    /// The memory cache had the requested image, or the one that the last transforms were applied to.
    /// ``ImageResponse/timings`` has a time for those transforms; for the requested image itself, it is empty.
    case memory
    /// The disk cache had the requested image, or the one that the last transforms were applied to.
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
  /// The original as its server described it: final URL, status, header fields, validators, freshness.
  public var original: ImageResponse.Original { contents.original }
  /// The outcomes of storing the image; `nil` while unknown, depending on ``ImageRequest/storeDurability``.
  public var stores: ImageResponse.StoreOutcomes? { contents.stores }

  /// An object, so that waiting callers reserve memory for a reference only.
  private let contents: Contents

  private struct Parts: Sendable {
    var image: Image
    var animation: AnimatedImage?
    var data: Data?
    var source: Source
    var original: ImageResponse.Original
    var isStale: Bool
    var isBeingRevalidated: Bool
    var byteCount: Int?
    var duration: Duration
    var timings: ImageResponse.Timings
    var stores: ImageResponse.StoreOutcomes?
  }

  @dynamicMemberLookup
  private final class Contents: Sendable {
    let parts: Parts

    init(_ parts: Parts) { self.parts = parts }

    subscript<Part>(dynamicMember part: KeyPath<Parts, Part>) -> Part { parts[keyPath: part] }
  }

  /// Creates a response.
  public init(
    image: Image, animation: AnimatedImage? = nil, data: Data? = nil, source: Source, byteCount: Int?,
    duration: Duration, isStale: Bool = false, timings: ImageResponse.Timings = ImageResponse.Timings(),
    stores: ImageResponse.StoreOutcomes? = nil, isBeingRevalidated: Bool = false
  ) {
    self.init(
      image: image, animation: animation, data: data, source: source, original: Original(),
      byteCount: byteCount, duration: duration, isStale: isStale, timings: timings, stores: stores,
      isBeingRevalidated: isBeingRevalidated)
  }

  init(
    image: Image, animation: AnimatedImage?, data: Data? = nil, source: Source, original: Original,
    byteCount: Int?, duration: Duration, isStale: Bool,
    timings: ImageResponse.Timings = ImageResponse.Timings(), stores: ImageResponse.StoreOutcomes? = nil,
    isBeingRevalidated: Bool = false
  ) {
    contents = Contents(
      Parts(
        image: image, animation: animation, data: data, source: source,
        original: original, isStale: isStale,
        isBeingRevalidated: isBeingRevalidated, byteCount: byteCount, duration: duration, timings: timings,
        stores: stores))
  }

  private init(_ parts: Parts) { contents = Contents(parts) }

  /// Returns the response with or without a pending revalidation.
  func revalidating(_ isBeingRevalidated: Bool) -> ImageResponse {
    var parts = contents.parts
    parts.isBeingRevalidated = isBeingRevalidated
    return ImageResponse(parts)
  }

  /// The response after the server has confirmed it.
  package var confirmed: ImageResponse {
    var parts = contents.parts
    (parts.isStale, parts.isBeingRevalidated) = (false, false)
    return ImageResponse(parts)
  }

  /// The kind of the original, regardless of the request's processing; `nil` if unknown.
  public var kind: ImageResponse.Kind? {
    image.info.map { $0.frameCount > 1 ? .animated : .still }
  }
}
