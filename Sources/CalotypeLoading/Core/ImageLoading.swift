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

  /// Hears that the bytes which were delivered for `request` turned out to be no image, so that they need not be loaded
  /// again at once. Nothing by default. Called from any thread; returns at once.
  ///
  /// - Parameters:
  ///   - request: The one that was loaded; where a fallback delivered the bytes, with that as its source.
  ///   - code: A stable name of what was wrong.
  ///   - message: What was wrong, for people.
  func reject(_ request: LoadRequest, code: String, message: String)
}

extension ImageLoading {
  /// Nothing: the loader remembers no failures.
  public func reject(_ request: LoadRequest, code: String, message: String) {}
}
