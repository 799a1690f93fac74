public import FoundationEssentials

/// The encoded bytes of an image, as the server sent them, with their source.
public struct DataResponse: Sendable {
  /// The bytes.
  public let data: Data
  /// The source: `.diskOriginal` or `.loader`.
  public let source: ImageResponse.Source
  /// The content type declared by the server, for information only.
  public let contentType: String?

  /// Creates a response.
  public init(data: Data, source: ImageResponse.Source, contentType: String?) {
    self.data = data
    self.source = source
    self.contentType = contentType
  }
}
