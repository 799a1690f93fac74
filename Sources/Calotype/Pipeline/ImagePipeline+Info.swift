import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials

/// Headers of images.
extension ImagePipeline {
  /// Returns the format, size, frames and orientation of the original of a request, from its first bytes.
  ///
  /// A header that no cache knows is loaded alone: from HTTP servers as a range of 64 KiB (RFC 9110 §14), or by a
  /// transfer that ends as soon as the header is there; more only for the rare image with more metadata before its
  /// pixels, and for formats whose coder needs the whole input. No pixel is decoded. Concurrent calls share one
  /// load, and the header stays in memory for as long as the original is fresh, in a pipeline with a memory cache, unless the
  /// request has ``ImageRequest/limits`` of its own.
  ///
  /// ```swift
  /// let response = try await pipeline.info(for: ImageRequest(url: url))
  /// print(response.info.format, response.info.size)
  /// ```
  ///
  /// - Throws: As ``image(for:)-(ImageRequest)``.
  public nonisolated func info(for request: ImageRequest) async throws -> InfoResponse {
    let request = prepared(request)
    return try await watched(.info, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      if isOpen, let found = infoInMemory(request) { return found }
      let want = try want(request)
      return try await withDeadline(of: request) { deadline in
        try await retried(request, within: deadline) {
          let place = try context.subscribe(toInfoOf: request, want: want)
          deadline?.limit(place)
          return place
        } use: { place in
          try await place.value()
        }
      }
    }
  }

  /// Returns the header of the image at a URL.
  ///
  /// - Throws: As ``image(for:)-(ImageRequest)``.
  public nonisolated func info(for url: URL) async throws -> InfoResponse {
    try await info(for: ImageRequest(url: url))
  }

  @inline(never)
  private nonisolated func infoInMemory(_ request: ImageRequest) -> InfoResponse? {
    guard request.isServedFromMemory else { return nil }
    let now = configuration.now()
    if let cached = configuration.caches.decoded?.value(
      for: request.key, allowingStale: request.trustsAge, now: now),
      let info = cached.image.info
    {
      let found = InfoResponse(
        ImageHeader(of: info), byteCount: nil, loadedByteCount: 0, source: .memory,
        provenance: cached.provenance)
      return found.found(isStale: cached.provenance.freshness(at: now) == .zero)
    }
    guard ResolvedRequest(request, configuration).keepsHeader else { return nil }
    guard let found = context.headers.value(for: request.headerKey, allowingStale: request.trustsAge) else {
      return nil
    }
    // By the clock of the pipeline, which may be another than that of the cache.
    let isStale = found.provenance.freshness(at: now) == .zero
    return isStale && !request.trustsAge ? nil : found.found(isStale: isStale)
  }
}
