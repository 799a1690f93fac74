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
