public import FoundationEssentials

/// The encoded bytes of an image, as the server sent them, with their source.
public struct DataResponse: Sendable {
  /// The bytes.
  public let data: Data
  /// The source: `.diskOriginal` or `.loader`.
  public let source: ImageResponse.Source
  /// The content type declared by the server, for information only.
  public let contentType: String?
  /// The description of the bytes by their server: final URL, status, header fields, validators, freshness.
  public let original: ImageResponse.Original
  /// Whether the bytes are known to be stale, as the request, the response or the configuration permits.
  public let isStale: Bool

  /// Creates a response.
  public init(data: Data, source: ImageResponse.Source, contentType: String?) {
    self.init(data: data, source: source, contentType: contentType, original: .init(), isStale: false)
  }

  init(
    data: Data, source: ImageResponse.Source, contentType: String?, original: ImageResponse.Original,
    isStale: Bool
  ) {
    (self.data, self.source, self.contentType) = (data, source, contentType)
    (self.original, self.isStale) = (original, isStale)
  }
}
