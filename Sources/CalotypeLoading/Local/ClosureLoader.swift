public import FoundationEssentials

/// A loader made of a closure, for sources that do not need a custom type.
///
/// ```swift
/// let bucket = ClosureLoader(scheme: "bucket", data: { url in try await client.object(named: url.path) })
/// let loader = LoaderGroup.standard.adding(bucket)
/// ```
public struct ClosureLoader: ImageLoading {
  private let isAccepted: @Sendable (ImageSource) -> Bool
  private let body: @Sendable (LoadRequest) async throws -> LoadResponse
  /// Identifies everything besides the request that affects the bytes; empty by default.
  public var identity = ""
  /// How long caches may keep the bytes; by default the rule of the scheme, which is ``CachingRule/never`` for all but
  /// `http` and `https`.
  public var cachingRule: CachingRule?

  /// Creates a loader for the sources that `accepts` returns `true` for.
  ///
  /// - Parameters:
  ///   - accepts: Must be cheap and without side effects.
  ///   - load: As ``ImageLoading/load(_:)``: called in the caller's isolation, cancelled with its task, and responsible
  ///     for ``LoadRequest/byteLimit``.
  public init(
    accepts: @escaping @Sendable (ImageSource) -> Bool,
    load: @escaping @Sendable (LoadRequest) async throws -> LoadResponse
  ) {
    isAccepted = accepts
    body = load
  }

  /// Creates a loader for the URLs of one scheme.
  ///
  /// - Parameters:
  ///   - scheme: In upper or lower case, without the colon.
  ///   - load: As in ``init(accepts:load:)``.
  public init(scheme: String, load: @escaping @Sendable (LoadRequest) async throws -> LoadResponse) {
    let scheme = scheme.lowercased()
    self.init(accepts: { $0.scheme == scheme }, load: load)
  }

  /// Creates a loader for the URLs of one scheme whose bytes arrive at once.
  ///
  /// - Parameters:
  ///   - scheme: In upper or lower case, without the colon.
  ///   - data: Returns the bytes of a URL; called in the caller's isolation, cancelled with its task. More than
  ///     ``LoadRequest/byteLimit`` of them are ``LoadingError/tooLarge(_:limit:declared:)``.
  public init(scheme: String, data: @escaping @Sendable (URL) async throws -> Data) {
    self.init(scheme: scheme) { request in
      guard let url = request.source.url else { throw LoadingError.unsupportedScheme(request.source) }
      let bytes = try await data(url)
      guard bytes.count <= request.byteLimit else {
        throw LoadingError.tooLarge(request.source, limit: request.byteLimit, declared: bytes.count)
      }
      return LoadResponse(url: url, expectedLength: bytes.count, body: LoadBody([bytes]))
    }
  }

  /// Returns ``cachingRule``, or the rule of the scheme.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    cachingRule ?? .standard(for: source)
  }

  /// Returns the result of the closure; for a loader of one scheme, whether the URL has it.
  public func accepts(_ source: ImageSource) -> Bool {
    isAccepted(source)
  }

  /// Returns the response of the closure.
  ///
  /// - Throws: ``LoadingError/unsupportedScheme(_:)`` for a source that is not accepted; errors of the closure,
  ///   unchanged; `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard isAccepted(request.source) else { throw LoadingError.unsupportedScheme(request.source) }
    try Task.checkCancellation()
    return try await body(request)
  }
}
