import FoundationEssentials

/// Loads `http` and `https` URLs with libcurl.
///
/// Whoever loads URLs that were given by others must choose ``AddressPolicy/public``: the default reaches whatever this
/// machine reaches, the services of its own network included.
///
/// All transfers share one thread, its connections (HTTP/1.1 keep-alive, HTTP/2 over TLS), TLS sessions and names.
/// Transfers beyond the limits wait, by priority, and hosts take turns. Certificates are verified; cookies are neither kept nor sent unless
/// ``Configuration/cookies`` says so.
///
/// Redirects are followed within `http` and `https`. To another scheme, host or port only those fields of the request go
/// along that negotiate content (`Accept`, `User-Agent`, `Range` and the like), so that no token gets there. `Content-Length`,
/// `Transfer-Encoding`, `Connection` and `Upgrade` describe the connection: those of a request are not sent. No content
/// coding is asked for; one that the server applies nevertheless is undone, and ``LoadRequest/byteLimit`` counts the bytes
/// after that, which may be 100 times as many as came, beyond the first 4 MiB.
///
/// The thread ends when the loader and all its transfers are released, or on ``shutDown()``.
///
/// ```swift
/// var configuration = CurlLoader.Configuration(maxConcurrent: 64)
/// configuration.addressPolicy = .public
/// let loader = CurlLoader(configuration)
/// let response = try await loader.load(LoadRequest(url: url))
/// for try await chunk in response.body { … }
/// ```
///
/// It makes one attempt; ``HTTPLoader`` adds retries, resumption and hooks.
public final class CurlLoader: ImageLoading {
  /// The loader below ``LoaderGroup/standard``, with the default configuration.
  public static let shared = CurlLoader()

  /// Limits, identity and ways, as they were at the beginning.
  public let configuration: Configuration
  /// Of all in the configuration that decides about the bytes: the policy of addresses, credentials, header fields other
  /// than the defaults, cookies (each loader has its own), certificates, addresses of hosts. Empty for the defaults.
  public let identity: String
  let engine: any CurlEngine

  init(_ configuration: Configuration, engine: any CurlEngine) {
    self.configuration = configuration
    identity = configuration.identity
    self.engine = engine
  }

  deinit {
    engine.close()
  }

  /// What the loader is doing and has done. Up to date for whatever a consumer has seen.
  public var statistics: Statistics { engine.statistics }

  /// Returns when the loader's thread has carried out everything asked of it so far, cancellations too.
  package func settle() async {
    await engine.settle()
  }

  /// Accepts `http` and `https` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.scheme == "http" || source.scheme == "https"
  }

  /// Refuses what the policy of addresses refuses without a look-up, and URLs that cannot be sent.
  public func check(_ source: ImageSource) throws {
    guard let url = source.url else { return }
    _ = try HTTPRequestStep(url, for: LoadRequest(source: source), configuration)
  }

  /// Starts a transfer, or queues it, and returns when the head of the final response is there.
  ///
  /// - Throws: ``LoadingError``; `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    guard accepts(request.source), let url = request.source.url else {
      throw LoadingError.unsupportedScheme(request.source)
    }
    try Task.checkCancellation()
    let step = try HTTPRequestStep(url, for: request, configuration)
    return try await engine.load(step, request, for: self)
  }
}
