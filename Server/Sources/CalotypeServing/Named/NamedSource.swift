import HTTPTypes

/// A source besides the picture, which an option names: of a watermark, or of the image in place of one that could not be loaded.
struct NamedSource: Sendable {
  /// The source.
  let source: SourceReference
  /// The fields of the client that it gets.
  let passedFields: HTTPFields
}
