public import FoundationEssentials

/// Fetches the bytes of an image: the one protocol to implement for a new kind of source.
///
/// ```swift
/// struct BucketLoader: ImageLoading {
///   func accepts(_ source: ImageSource) -> Bool { source.url?.scheme == "bucket" }
///   func load(_ request: LoadRequest) async throws -> LoadResponse { … }
/// }
/// ```
public protocol ImageLoading: Sendable {
  /// Whether this loader is responsible for `source`. Cheap and without side effects.
  func accepts(_ source: ImageSource) -> Bool

  /// Starts the load and returns when the head of the response is there.
  ///
  /// Cancelling the calling task ends the load.
  ///
  /// - Throws: ``LoadingError``; `CancellationError`.
  func load(_ request: LoadRequest) async throws -> LoadResponse
}

extension ImageLoading {
  /// Loads the whole body, at most ``LoadRequest/maxBytes`` of it.
  ///
  /// `progress` is called after each chunk with the bytes received so far and those expected, if known.
  ///
  /// The body of the returned response is spent. Only the answer 304 to a conditional request may be empty.
  ///
  /// - Throws: ``LoadingError``, among them ``LoadingError/emptyBody(_:)`` and
  ///   ``LoadingError/tooLarge(_:limit:declared:)``; `CancellationError`.
  public func data(
    for request: LoadRequest, progress: (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
  ) async throws -> (Data, LoadResponse) {
    let response = try await load(request)
    if let declared = response.expectedLength, declared > request.maxBytes {
      throw LoadingError.tooLarge(request.source, limit: request.maxBytes, declared: declared)
    }
    var body = Data()
    for try await chunk in response.body {
      guard chunk.count <= request.maxBytes - body.count else {
        throw LoadingError.tooLarge(
          request.source, limit: request.maxBytes, declared: response.expectedLength)
      }
      if body.isEmpty {
        // Most bodies come in one piece: no copy then. Declared lengths are not trusted with much memory.
        body = chunk
        if let declared = response.expectedLength, declared > chunk.count {
          body.reserveCapacity(min(declared, 16 << 20))
        }
      } else {
        body.append(chunk)
      }
      progress(body.count, response.expectedLength)
    }
    if body.isEmpty, response.status != 304 { throw LoadingError.emptyBody(request.source) }
    return (body, response)
  }
}
