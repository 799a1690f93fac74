public import CalotypeImaging
import CalotypeSupport
public import FoundationEssentials

/// Images in encoded form, for the responses of servers.
extension ImagePipeline {
  /// Returns the image that a request describes in encoded form.
  ///
  /// Encoded images are cached like decoded ones: in memory (``ImagePipeline/Configuration/encodedCache``) and on disk,
  /// by the key of the request and the options. A cached one is neither decoded nor copied. Concurrent calls share one
  /// encode. An original that already has the format, and neither metadata nor anything else to change, is delivered as
  /// it is. All frames are encoded if the request asks for them and the format can hold them.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, thumbnail: .fit(width: 320, height: 240))
  /// let image = try await pipeline.encoded(request, as: .webp(quality: 80))
  /// ```
  ///
  /// - Throws: As ``image(for:)-(ImageRequest)``; `ImagingError` if the image cannot be encoded.
  public nonisolated func encoded(
    _ request: ImageRequest, as options: EncodeOptions
  ) async throws -> EncodedImage {
    try await encoded(request, .options(options))
  }

  /// Returns the image in the form that suits the `Accept` field of a request and the content of the image.
  ///
  /// ```swift
  /// let image = try await pipeline.encoded(
  ///   request, as: .negotiated(accept: accept, among: [.webp(), .png, .jpeg()]))
  /// ```
  ///
  /// The cached image depends on the outcome, not on the field.
  ///
  /// - Throws: As ``encoded(_:as:)-(ImageRequest,EncodeOptions)``; `ImagingError.invalidParameter` without candidates.
  public nonisolated func encoded(
    _ request: ImageRequest, as negotiation: OutputNegotiation
  ) async throws -> EncodedImage {
    try await encoded(request, .negotiated(negotiation))
  }

  /// Returns the image at a URL in encoded form.
  ///
  /// - Throws: As ``encoded(_:as:)-(ImageRequest,EncodeOptions)``.
  public nonisolated func encoded(_ url: URL, as options: EncodeOptions) async throws -> EncodedImage {
    try await encoded(ImageRequest(url: url), as: options)
  }

  /// Returns the encoded image, if it is in memory now and fresh enough for the request. Never suspends.
  public nonisolated func cachedEncoded(_ request: ImageRequest, as options: EncodeOptions) -> EncodedImage? {
    isOpen ? encodedInMemory(prepared(request), .options(options)) : nil
  }

  /// Returns the image in the form that was negotiated, if it is in memory now and fresh enough for the request. Never
  /// suspends.
  public nonisolated func cachedEncoded(
    _ request: ImageRequest, as negotiation: OutputNegotiation
  ) -> EncodedImage? {
    isOpen ? encodedInMemory(prepared(request), .negotiated(negotiation)) : nil
  }

  private nonisolated func encoded(
    _ request: ImageRequest, _ output: EncodedOutput
  ) async throws -> EncodedImage {
    let request = prepared(request)
    return try await watched(.encoded, request, outcome: { ImagePipeline.RequestOutcome($0) }) {
      if isOpen, let found = encodedInMemory(request, output) { return found }
      return try await deliveredEncoded(request, output)
    }
  }

  @inline(never)
  private nonisolated func encodedInMemory(_ request: ImageRequest, _ output: EncodedOutput) -> EncodedImage?
  {
    guard request.isServedFromMemory, let memory = configuration.caches.encoded else { return nil }
    let image = request.encodedInMemory(output, memory, allowingStale: request.trustsAge)
    return image.map {
      $0.found(in: .memory, isStale: $0.freshness(at: configuration.now()) == .zero)
    }
  }

  @inline(never)
  private nonisolated func deliveredEncoded(
    _ request: ImageRequest, _ output: EncodedOutput
  ) async throws -> EncodedImage {
    let want = try want(request)
    let image = try await withDeadline(of: request) { deadline in
      try await retried(request, within: deadline) {
        let place = try context.subscribe(toEncoded: request, output, want: want)
        deadline?.limit(place)
        return place
      } use: { place in
        let (image, isInterim) = try await place.firstValue()
        if !isInterim { try await waitUntilStored(place.job, request, deadline) }
        return image
      }
    }
    let varies = output.choice(for: image.content)?.variesOnAccept ?? false
    return image.delivered(to: request, variesOnAccept: varies)
  }
}
