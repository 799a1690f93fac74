import CalotypeImaging
import FoundationEssentials

/// The result of a request for its caller. An object, so that waiting callers reserve no memory for its
/// parts.
final class Delivery: Sendable {
  let made: ImageResult
  private let data: Data?
  private let stores: ImageResponse.StoreOutcomes?

  init(_ made: ImageResult, data: Data?, stores: ImageResponse.StoreOutcomes?) {
    (self.made, self.data, self.stores) = (made, data, stores)
  }

  @inline(never)
  var image: Image { made.image }

  var response: ImageResponse {
    ImageResponse(
      image: made.image, animation: made.animation, data: data, source: made.source,
      byteCount: made.byteCount, duration: made.duration, isStale: made.provenance.isStale,
      timings: made.log.timings, stores: stores)
  }
}
