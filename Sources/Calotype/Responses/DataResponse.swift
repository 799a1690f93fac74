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
    self.init(data: data, source: source, contentType: contentType, provenance: OriginalMetadata())
  }

  init(_ loaded: OriginalData) {
    self.init(
      data: loaded.data, source: loaded.source, contentType: loaded.metadata.contentType,
      provenance: loaded.provenance)
  }

  private init(
    data: Data, source: ImageResponse.Source, contentType: String?, provenance: OriginalMetadata
  ) {
    self.data = data
    self.source = source
    self.contentType = contentType
    original = ImageResponse.Original(provenance)
    isStale = provenance.isStale
  }
}
