import FoundationEssentials

/// Serves bytes at hand: ``ImageSource/data(_:id:)``.
public struct BytesLoader: ImageLoading {
  /// A loader.
  public init() {}

  /// Accepts ``ImageSource/data(_:id:)``.
  public func accepts(_ source: ImageSource) -> Bool {
    if case .data = source { true } else { false }
  }

  /// The bytes as a response.
  ///
  /// - Throws: ``LoadingError/tooLarge(_:limit:declared:)``, ``LoadingError/unsupportedScheme(_:)``.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard case .data(let data, _) = request.source else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    guard data.count <= request.maxBytes else {
      throw LoadingError.tooLarge(request.source, limit: request.maxBytes, declared: data.count)
    }
    return LoadResponse(
      url: ImageSource.urlOfBytes, expectedLength: data.count, body: LoadBody([data]))
  }
}
