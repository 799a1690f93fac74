import FoundationEssentials

/// Serves bytes of the program: in memory, ``ImageSource/data(_:id:)``, from streams, ``ImageSource/stream(_:id:)``, and
/// from closures, ``ImageSource/provider(_:)``.
public struct BytesLoader: ImageLoading {
  /// Creates a loader.
  public init() {}

  /// Accepts all sources but URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    switch source {
    case .data, .stream, .provider: true
    case .url: false
    }
  }

  /// Returns the version of a provider: results are cached under it. ``CachingRule/never`` without one, and for all
  /// other sources.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    source.version.map(CachingRule.version) ?? .never
  }

  /// Returns the bytes as a response. A stream is pulled as its body is read; a provider is called at once, and its
  /// bytes count towards ``LoadRequest/byteLimit`` when they are there.
  ///
  /// - Throws: ``LoadingError/tooLarge(_:limit:declared:)``, ``LoadingError/unsupportedScheme(_:)``; for a stream that was
  ///   loaded before, ``LoadingError/bodyAlreadyConsumed``. The body of a stream throws
  ///   ``LoadingError/sourceFailed(_:reason:)`` and ``LoadingError/tooLarge(_:limit:declared:)``. Errors of a provider
  ///   that are no ``LoadingError`` are ``LoadingError/sourceFailed(_:reason:)`` with their description;
  ///   `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    let (body, length): (LoadBody, Int?)
    switch request.source {
    case .data(let data, _):
      try check(data.count, request)
      (body, length) = (LoadBody([data]), data.count)
    case .stream(let stream, _):
      try check(stream.expectedLength ?? 0, request)
      try Task.checkCancellation()
      guard let pump = stream.claim() else { throw LoadingError.bodyAlreadyConsumed }
      length = stream.expectedLength
      body = LoadBody(
        StreamBody(pump, of: request.source, expectedLength: length, byteLimit: request.byteLimit))
    case .provider(let provider):
      try Task.checkCancellation()
      let data = try await fetch(provider, for: request.source)
      try check(data.count, request)
      (body, length) = (LoadBody([data]), data.count)
    case .url:
      throw LoadingError.unsupportedScheme(request.source)
    }
    return LoadResponse(url: ImageSource.urlOfBytes, expectedLength: length, body: body)
  }

  private func fetch(_ provider: DataProvider, for source: ImageSource) async throws -> Data {
    do {
      return try await provider.fetch()
    } catch let error where !(error is LoadingError || error is CancellationError) {
      throw LoadingError.sourceFailed(source, reason: "\(error)")
    }
  }

  private func check(_ count: Int, _ request: LoadRequest) throws(LoadingError) {
    guard count <= request.byteLimit else {
      throw .tooLarge(request.source, limit: request.byteLimit, declared: count)
    }
  }
}
