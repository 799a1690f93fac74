import FoundationEssentials

/// Serves bytes in memory, ``ImageSource/data(_:id:)``, and streams, ``ImageSource/stream(_:id:)``.
public struct BytesLoader: ImageLoading {
  /// Creates a loader.
  public init() {}

  /// Accepts ``ImageSource/data(_:id:)`` and ``ImageSource/stream(_:id:)``.
  public func accepts(_ source: ImageSource) -> Bool {
    switch source {
    case .data, .stream: true
    case .url: false
    }
  }

  /// Returns the bytes as a response. A stream is pulled as its body is read.
  ///
  /// - Throws: ``LoadingError/tooLarge(_:limit:declared:)``, ``LoadingError/unsupportedScheme(_:)``; for a stream that was
  ///   loaded before, ``LoadingError/bodyAlreadyConsumed``. The body of a stream throws
  ///   ``LoadingError/sourceFailed(_:reason:)`` and ``LoadingError/tooLarge(_:limit:declared:)``; `CancellationError`.
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
    case .url:
      throw LoadingError.unsupportedScheme(request.source)
    }
    return LoadResponse(url: ImageSource.urlOfBytes, expectedLength: length, body: body)
  }

  private func check(_ count: Int, _ request: LoadRequest) throws(LoadingError) {
    guard count <= request.byteLimit else {
      throw .tooLarge(request.source, limit: request.byteLimit, declared: count)
    }
  }
}
