import FoundationEssentials

/// Loads `http` and `https` URLs with libcurl.
///
/// For URLs from users, set ``AddressPolicy/public``: the default allows server-side request forgery (SSRF), because it
/// connects to every address that this machine can reach, including internal services.
///
/// All transfers share one thread, its connections (HTTP/1.1 keep-alive, HTTP/2 over TLS), TLS sessions and DNS
/// results. Transfers beyond the limits are queued by priority, and hosts take turns. Certificates are verified;
/// cookies are neither stored nor sent unless ``Configuration/cookies`` enables them.
///
/// Redirects are followed within `http` and `https`. Only fields that negotiate content (`Accept`, `User-Agent`,
/// `Range` and the like) are sent to another scheme, host or port, so that no token leaks. `Content-Length`,
/// `Transfer-Encoding`, `Connection` and `Upgrade` describe the connection: those of a request are not sent. No content
/// coding is requested; one that the server applies nevertheless is decoded, and ``LoadRequest/byteLimit`` counts the
/// decoded bytes, which may be at most 100 times the received ones, beyond the first 4 MiB.
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
/// Each load makes one attempt; ``HTTPLoader`` adds retries, resumption and hooks.
public final class CurlLoader: ImageLoading, TransferReporting {
  /// The loader behind ``LoaderGroup/standard``, with the default configuration.
  public static let shared = CurlLoader()

  /// The configuration at creation.
  public let configuration: Configuration
  /// Covers everything in the configuration that affects the delivered bytes: address policy, credentials, non-default
  /// header fields, cookies (each loader has its own), certificates, fixed addresses of hosts. Empty for the defaults.
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

  /// The activity of the loader. It includes everything that a consumer has seen.
  public var statistics: Statistics { engine.statistics }

  /// Returns when the loader's thread has processed all earlier requests, including cancellations.
  package func settle() async {
    await engine.settle()
  }

  /// Accepts `http` and `https` URLs.
  public func accepts(_ source: ImageSource) -> Bool {
    source.scheme == "http" || source.scheme == "https"
  }

  /// Rejects sources that the address policy refuses without a name look-up, and unusable URLs.
  ///
  /// - Throws: ``LoadingError/addressRefused(_:reason:)``, ``LoadingError/invalidURL(_:reason:)``.
  public func check(_ source: ImageSource) throws {
    guard let url = source.url else { return }
    _ = try HTTPRequestStep(url, for: LoadRequest(source: source), configuration)
  }

  /// Starts or queues a transfer, and returns when the head of the final response has arrived.
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
