import FoundationEssentials

extension LoadResponse {
  /// Returns the response with its body passed through all applicable `transforms`, in this order.
  ///
  /// Its length is then unknown. A 304 has no body and stays unchanged. Takes over the body of the receiver.
  ///
  /// - Parameter byteLimit: The most bytes that each transform may produce; ``LoadRequest/byteLimit``.
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
