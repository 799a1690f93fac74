import FoundationEssentials

/// Serves `data:` URLs (RFC 2397), base64 or percent-encoded.
public struct DataURLLoader: ImageLoading {
  /// A loader.
  public init() {}

  /// Accepts `data:` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.scheme == "data"
  }

  /// The decoded bytes as a response; its ``LoadResponse/contentType`` is the media type of the URL.
  ///
  /// - Throws: ``LoadingError/invalidDataURL(_:reason:)``, ``LoadingError/tooLarge(_:limit:declared:)``
  ///   before anything is decoded, ``LoadingError/unsupportedScheme(_:)``.
  @concurrent
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard accepts(request.source), let url = request.source.url else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    let content: DataURL
    do {
      content = try DataURL(url.absoluteString, maxBytes: request.maxBytes)
    } catch {
      switch error {
      case .malformed(let reason): throw LoadingError.invalidDataURL(url, reason: reason)
      case .tooLarge(let declared):
        throw LoadingError.tooLarge(request.source, limit: request.maxBytes, declared: declared)
      }
    }
    return LoadResponse(
      url: url, expectedLength: content.data.count, contentType: content.mediaType,
      body: LoadBody([content.data]))
  }
}
