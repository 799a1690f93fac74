import CalotypeImaging
import FoundationEssentials

/// The result of a request for its caller. An object, so that callers that wait keep no room for it.
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
