import CalotypePlanning
import CalotypeURLs
import HTTPTypes

/// A request for an image that was read, checked and allowed: all that rendering needs.
struct ImageOrder: Sendable {
  /// The options.
  let options: ProcessingOptions
  /// The source.
  let source: SourceReference
  /// The identity of the result.
  let identity: ResultIdentity
  /// The field `Accept` of the client.
  let accept: CalotypePlanning.AcceptHeader
  /// The client hints.
  let hints: ClientHints
  /// The fields of the client that its source gets.
  let passedFields: HTTPFields
  /// The rules that it was read by.
  let rules: ServingRules
  /// The images that the options name besides the source.
  var named = NamedSources()
  /// The fields of responses to the same text.
  var replies = ReplyMemo()
  /// The facts that are asked for in place of an image.
  var info: InfoOptions?

  /// The name of the source in the memory of failures: answers may depend on the fields that it gets.
  var failureKey: String {
    passedFields.isEmpty
      ? source.text : source.text + passedFields.map { "\n\($0.name): \($0.value)" }.joined()
  }
}
