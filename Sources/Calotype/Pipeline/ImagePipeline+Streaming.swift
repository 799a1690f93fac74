package import CalotypeImaging
import CalotypeLoading
package import FoundationEssentials

/// Internal interfaces for the modules that build on the pipeline.
extension ImagePipeline {
  /// Returns the request after all interceptors.
  package nonisolated func intercepted(_ request: ImageRequest) -> ImageRequest { prepared(request) }

  /// Returns the decoder options and the coders that apply to an intercepted request.
  package nonisolated func decoding(of request: ImageRequest) -> (
    coders: CoderRegistry, options: DecodeOptions
  ) {
    let resolved = ResolvedRequest(request, configuration)
    return (resolved.coders, resolved.decodeOptions)
  }

  /// Looks up an intercepted request in memory. Requires neither an actor hop nor a task.
  package nonisolated func imageInMemory(for request: ImageRequest) -> MemoryHit? {
    guard isOpen, let response = memoryResponse(for: request) else { return nil }
    return MemoryHit(response: response, request: request, watch: context.watch)
  }

  /// Loads the original of an intercepted request, and passes on its bytes while they arrive. Joins a load
  /// in progress.
  ///
  /// - Parameter consume: Takes the bytes in order, each once.
  /// - Returns: The whole original.
  /// - Throws: The error of the load, or of `consume`.
  package nonisolated func streamOriginal(
    of request: ImageRequest, into consume: (Data) async throws -> Void
  ) async throws -> DataResponse {
    let plan = ResolvedRequest(request, configuration)
    return try await watched(.data, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      try await withDeadline(of: request) { deadline in
        var offset = 0
        return try await retried(request, within: deadline) {
          let options = try want(request, watchesProgress: true)
          let place = try context.subscribe(toOriginalOf: plan, policy: request.cachePolicy, want: options)
          deadline?.limit(place)
          return place
        } use: { place in
          try await stream(place, request.expectedDigest, from: &offset, into: consume)
        } isRepeatable: {
          // Bytes that were passed on must not be followed by those of another transfer.
          offset == 0
        }
      }
    }
  }

  private nonisolated func stream(
    _ place: Subscription<OriginalData>, _ expectedDigest: ExpectedDigest?, from offset: inout Int,
    into consume: (Data) async throws -> Void
  ) async throws -> DataResponse {
    while true {
      switch try await place.next([.progress]) {
      case .arrived(let arrival):
        // Bytes with an expected digest are passed on when they have been checked.
        guard expectedDigest == nil, let chunk = arrival.bytes?.bytes(from: offset), !chunk.isEmpty else {
          continue
        }
        offset += chunk.count
        try await consume(chunk)
      case .ended(let loaded):
        // An older original was returned instead of the arriving bytes.
        if offset > 0, let failure = loaded.provenance.failure { throw failure }
        if offset < loaded.data.count { try await consume(loaded.data.dropFirst(offset)) }
        return DataResponse(loaded)
      case .started, .interim, .preview: continue
      }
    }
  }
}

/// An image that was found in memory by a look-up that may be discarded.
package struct MemoryHit: Sendable {
  package let response: ImageResponse
  let request: ImageRequest
  let watch: PipelineInstrumentation?

  /// Reports the request to observers like any other. Call it when the image is used.
  package func report() {
    guard let watch else { return }
    let observed = RequestInstrumentation(watch, .events, request)
    observed.begin()
    observed.end(ImagePipeline.RequestOutcome(response))
  }
}
