import FoundationEssentials

/// What a caller gets of the jobs of its request. An object, so that who waits for it keeps no room for it.
final class Delivery: Sendable {
  let made: MadeImage
  private let data: Data?
  private let stores: StoreOutcomes?

  init(_ made: MadeImage, data: Data?, stores: StoreOutcomes?) {
    (self.made, self.data, self.stores) = (made, data, stores)
  }

  var response: ImageResponse {
    ImageResponse(
      image: made.image, animation: made.animation, data: data, source: made.source,
      byteCount: made.byteCount, duration: made.duration, isStale: made.provenance.isStale,
      timings: made.log.timings, stores: stores)
  }
}
