import FoundationEssentials

extension LoadResponse {
  /// The response with its body led through those of `transforms` that apply, in this order.
  ///
  /// Its length is unknown then. An answer 304 has no body and stays as it is. The body of the receiver is taken over.
  ///
  /// - Parameter byteLimit: Most bytes that each transform may make; ``LoadRequest/byteLimit``.
  /// - Throws: ``LoadingError``, ``LoadingError/bodyTransformFailed(_:transform:reason:)`` for errors of other types.
  package func transformed(
    by transforms: [any BodyTransforming], byteLimit: Int
  ) throws -> LoadResponse {
    guard status != 304 else { return self }
    var response = self
    for transforming in transforms {
      let identity = transforming.identity
      do {
        guard let transform = try transforming.makeTransform(for: response) else { continue }
        response.body = LoadBody(
          TransformedBody(
            response.body, transform: transform, url: url, identity: identity, byteLimit: byteLimit))
        response.expectedLength = nil
      } catch let error where !(error is LoadingError || error is CancellationError) {
        throw LoadingError.bodyTransformFailed(url, transform: identity, reason: "\(error)")
      }
    }
    return response
  }
}
