/// Fetches the bytes of an image: the one protocol to implement for a new kind of source.
///
/// ```swift
/// struct BucketLoader: ImageLoading {
///   func accepts(_ source: ImageSource) -> Bool { source.url?.scheme == "bucket" }
///   func load(_ request: LoadRequest) async throws -> LoadResponse { … }
/// }
/// ```
public protocol ImageLoading: Sendable {
  /// The name of all that decides about delivered bytes beside the request: credentials and header fields of the loader
  /// itself, transforms of bodies, the addresses that it may connect to. Empty by default, for loaders whose bytes the
  /// request alone decides.
  ///
  /// It is part of the keys of caches: what one loader delivered is never found through another with a different name.
  /// Asked once for each pipeline. Secrets enter as a digest.
  var identity: String { get }

  /// How long caches may keep the bytes of `source`. By default ``CachingRule/http`` for `http` and `https` URLs, and
  /// ``CachingRule/never`` for all others. Cheap and without side effects.
  func cachingRule(for source: ImageSource) -> CachingRule

  /// Refuses a source that the loader would not load either, before caches are asked. Nothing by default. Does not wait,
  /// and looks up no names.
  ///
  /// - Throws: ``LoadingError``, such as ``LoadingError/addressRefused(_:reason:)``.
  func check(_ source: ImageSource) throws

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

  /// Deletes what the loader keeps on disk of transfers that ended early; parts in use stay until their transfer ends.
  /// Nothing by default. Called when originals are purged: a part does not know what it is an image of.
  ///
  /// - Throws: ``LoadingError/fileUnreadable(_:reason:)``, ``LoadingError/fileUnwritable(_:reason:)``;
  ///   `CancellationError`.
  func removeParts() async throws
}

extension ImageLoading {
  /// Empty: the request alone decides about the bytes.
  public var identity: String { "" }

  /// The rules of HTTP for `http` and `https` URLs; other sources are not kept.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    .standard(for: source)
  }

  /// Nothing: each source is left to ``load(_:)``.
  public func check(_ source: ImageSource) throws {}

  /// Nothing: the loader keeps no parts.
  public func removeParts() async throws {}

  /// Nothing: the loader remembers no failures.
  public func reject(_ request: LoadRequest, code: String, message: String) {}
}
