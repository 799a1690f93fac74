/// Loads the bytes of an image. Implement this protocol for a new kind of source.
///
/// ```swift
/// struct BucketLoader: ImageLoading {
///   func accepts(_ source: ImageSource) -> Bool { source.url?.scheme == "bucket" }
///   func load(_ request: LoadRequest) async throws -> LoadResponse { … }
/// }
/// ```
public protocol ImageLoading: Sendable {
  /// Identifies everything besides the request that affects the delivered bytes: the loader's own credentials and
  /// header fields, body transforms, the addresses that it may connect to. Empty by default, for loaders whose bytes
  /// depend on the request alone.
  ///
  /// It is part of cache keys: bytes from one loader are never found through another with a different identity. Read
  /// once for each pipeline. Include secrets as a digest.
  var identity: String { get }

  /// Returns how long caches may keep the bytes of `source`. By default ``CachingRule/http`` for `http` and `https`
  /// URLs, and ``CachingRule/never`` for all others. Must be cheap and without side effects.
  func cachingRule(for source: ImageSource) -> CachingRule

  /// Rejects a source that the loader would refuse, before caches are consulted. Does nothing by default. Must not wait
  /// or look up names.
  ///
  /// - Throws: ``LoadingError``, such as ``LoadingError/addressRefused(_:reason:)``.
  func check(_ source: ImageSource) throws

  /// Returns whether this loader is responsible for `source`. Must be cheap and without side effects.
  func accepts(_ source: ImageSource) -> Bool

  /// Starts the load and returns when the head of the response has arrived.
  ///
  /// Cancelling the calling task ends the load.
  ///
  /// - Throws: ``LoadingError``; `CancellationError`.
  func load(_ request: LoadRequest) async throws -> LoadResponse

  /// Reports that the bytes delivered for `request` are not an image, so that they need not be loaded again soon. Does
  /// nothing by default. Called from any thread; must return at once.
  ///
  /// - Parameters:
  ///   - request: The request. If a fallback delivered the bytes, it is the source.
  ///   - code: A stable error code.
  ///   - message: A description of the error.
  func reject(_ request: LoadRequest, code: String, message: String)

  /// Deletes partial downloads that the loader keeps on disk; parts in use stay until their transfer ends. Does nothing
  /// by default. Called when originals are purged, because a part does not record its source.
  ///
  /// - Throws: ``LoadingError/fileUnreadable(_:reason:)``, ``LoadingError/fileUnwritable(_:reason:)``;
  ///   `CancellationError`.
  func removeParts() async throws
}

extension ImageLoading {
  /// Empty: the bytes depend on the request alone.
  public var identity: String { "" }

  /// Returns the rules of HTTP for `http` and `https` URLs, and ``CachingRule/never`` for other sources.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    .standard(for: source)
  }

  /// Accepts every source, and throws nothing.
  public func check(_ source: ImageSource) throws {}

  /// Does nothing, and throws nothing: the loader keeps no parts.
  public func removeParts() async throws {}

  /// Does nothing: the loader remembers no failures.
  public func reject(_ request: LoadRequest, code: String, message: String) {}
}
