import FoundationEssentials

extension LoadRequest {
  /// Returns the request after all `interceptors`, from the first to the last.
  ///
  /// - Throws: ``LoadingError``, ``LoadingError/vetoed(_:reason:)`` for errors of other types; `CancellationError`.
  package func intercepted(by interceptors: [any LoadIntercepting]) async throws -> LoadRequest {
    var request = self
    for interceptor in interceptors {
      do {
        request = try await interceptor.request(request)
      } catch {
        throw Self.veto(error, of: request.source)
      }
    }
    // An interceptor that creates a new request cannot copy these.
    (request.livePriority, request.loaderIdentity, request.hooks) = (livePriority, loaderIdentity, hooks)
    // An interceptor must not change the partition.
    request.partition = partition
    return request
  }

  static func veto(_ error: any Error, of source: ImageSource) -> any Error {
    if error is LoadingError || error is CancellationError { return error }
    return LoadingError.vetoed(source.url ?? ImageSource.urlOfBytes, reason: "\(error)")
  }
}

extension LoadResponse {
  /// Returns the response after all `interceptors`, from the last to the first.
  ///
  /// - Parameter request: The request as it was sent, after its own interception.
  /// - Throws: ``LoadingError``, ``LoadingError/vetoed(_:reason:)`` for errors of other types,
  ///   ``LoadingError/httpStatus(_:status:headers:redirects:)`` when the status is still not accepted; `CancellationError`.
  package func intercepted(
    by interceptors: [any LoadIntercepting], for request: LoadRequest
  ) async throws -> LoadResponse {
    var response = self
    for interceptor in interceptors.reversed() {
      do {
        response = try await interceptor.response(response, for: request)
      } catch {
        throw LoadRequest.veto(error, of: request.source)
      }
    }
    if let status = response.status, !request.accepts(status: status) {
      throw LoadingError.httpStatus(
        request.source.url ?? response.url, status: status, headers: response.headers,
        redirects: response.redirects)
    }
    return response
  }
}
