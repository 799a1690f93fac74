public import FoundationEssentials

/// The encoded bytes of an image, as the server sent them, and where they came from.
public struct DataResponse: Sendable {
  /// The bytes.
  public let data: Data
  /// `.diskOriginal` or `.loader`.
  public let source: ImageResponse.Source
  /// The type that the server declared. Nothing relies on it.
  public let contentType: String?

  /// Creates a response.
  public init(data: Data, source: ImageResponse.Source, contentType: String?) {
    self.data = data
    self.source = source
    self.contentType = contentType
  }
}
