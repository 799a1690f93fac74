public import FoundationEssentials

/// A loader made of a closure, for a source that needs no type of its own.
///
/// ```swift
/// let bucket = ClosureLoader(scheme: "bucket", data: { url in try await client.object(named: url.path) })
/// let loader = LoaderGroup.standard.adding(bucket)
/// ```
public struct ClosureLoader: ImageLoading {
  private let isAccepted: @Sendable (ImageSource) -> Bool
  private let body: @Sendable (LoadRequest) async throws -> LoadResponse
  /// Decides about the bytes beside the request; empty by default.
  public var identity = ""
  /// How long caches may keep what the closure delivers; the rule of the scheme by default, which is
  /// ``CachingRule/never`` for all but `http` and `https`.
  public var cachingRule: CachingRule?

  /// A loader for the sources that `accepts` is true for.
  ///
  /// - Parameters:
  ///   - accepts: Cheap and without side effects.
  ///   - load: As ``ImageLoading/load(_:)``: called in the isolation of whoever loads, cancelled with its task, and
  ///     responsible for ``LoadRequest/byteLimit``.
  public init(
    accepts: @escaping @Sendable (ImageSource) -> Bool,
    load: @escaping @Sendable (LoadRequest) async throws -> LoadResponse
  ) {
    isAccepted = accepts
    body = load
  }

  /// A loader for the URLs of one scheme.
  ///
  /// - Parameters:
  ///   - scheme: In upper or lower case, without the colon.
  ///   - load: As in ``init(accepts:load:)``.
  public init(scheme: String, load: @escaping @Sendable (LoadRequest) async throws -> LoadResponse) {
    let scheme = scheme.lowercased()
    self.init(accepts: { $0.scheme == scheme }, load: load)
  }

  /// A loader for the URLs of one scheme whose bytes come all at once.
  ///
  /// - Parameters:
  ///   - scheme: In upper or lower case, without the colon.
  ///   - data: The bytes at a URL; called in the isolation of whoever loads, cancelled with its task. More than
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

  /// ``cachingRule``, or that of the scheme.
  public func cachingRule(for source: ImageSource) -> CachingRule {
    cachingRule ?? .standard(for: source)
  }

  /// What the closure says; for a loader of one scheme, whether the URL has it.
  public func accepts(_ source: ImageSource) -> Bool {
    isAccepted(source)
  }

  /// What the closure makes of the request.
  ///
  /// - Throws: ``LoadingError/unsupportedScheme(_:)`` for a source that is not accepted; whatever the closure throws,
  ///   as it is; `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard isAccepted(request.source) else { throw LoadingError.unsupportedScheme(request.source) }
    try Task.checkCancellation()
    return try await body(request)
  }
}
