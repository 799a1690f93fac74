public import CalotypeLoading
import CalotypeSupport
public import FoundationEssentials
import HTTPTypes

/// Loads `s3://bucket/key` from an S3-compatible server, with signed requests.
///
/// The query may name a version: `s3://bucket/key?versionId=…`. Responses are cached by the rules of HTTP; stored originals are
/// confirmed by their `ETag`.
///
/// ```swift
/// let loader = try BucketLoader(.init(region: "eu-central-1"), credentials: .standard)
/// let pipeline = ImagePipeline(.init(loader: LoaderGroup.standard.adding(loader)))
/// let image = try await pipeline.image(for: URL(string: "s3://photos/2026/cat.jpg")!)
/// ```
public final class BucketLoader: ImageLoading {
  /// The server and the buckets that may be read.
  public struct Configuration: Sendable {
    /// The URL of the server; `nil` for that of Amazon in the region.
    public var endpoint: URL?
    /// The region that signatures name.
    public var region: String
    /// How URLs name the bucket.
    public var addressing = Bucket.Addressing.path
    /// The buckets that may be read; empty for all.
    public var allowedBuckets: Set<String> = []
    /// The buckets that may not be read, even if they are allowed.
    public var deniedBuckets: Set<String> = []
    /// The keys to single buckets, in place of those of all.
    public var credentials: [String: BucketCredentials] = [:]
    /// The configuration of connections: limits, certificates, proxies. Redirects are not followed.
    public var connections = CurlLoader.Configuration()

    /// Creates a configuration.
    public init(endpoint: URL? = nil, region: String) {
      self.endpoint = endpoint
      self.region = region
    }
  }

  /// The configuration.
  public let configuration: Configuration
  /// Covers the server and the allowed buckets, but no credentials.
  public let identity: String
  private let endpoint: URL
  private let loader: CurlLoader
  private let stores: [String: CredentialStore]
  private let store: CredentialStore
  private let state = Lock(State())
  private let now: @Sendable () -> Date

  private struct State {
    var clock = BucketClock()
    /// The signers of the present keys, by bucket; one for those without keys of their own.
    var signers: [String: (keys: BucketKeys, signer: RequestSigner)] = [:]
  }

  /// Creates a loader.
  ///
  /// - Parameters:
  ///   - configuration: The server.
  ///   - credentials: The keys to buckets that have none of their own.
  /// - Throws: ``BucketError/invalidConfiguration(reason:)``.
  public convenience init(
    _ configuration: Configuration, credentials: BucketCredentials
  ) throws(BucketError) {
    try self.init(configuration, credentials: credentials, now: { Date.now })
  }

  init(
    _ configuration: Configuration, credentials: BucketCredentials, now: @escaping @Sendable () -> Date
  ) throws(BucketError) {
    self.configuration = configuration
    self.now = now
    guard
      let endpoint = configuration.endpoint ?? URL(string: "https://s3.\(configuration.region).amazonaws.com")
    else { throw .invalidConfiguration(reason: "its region is no name") }
    self.endpoint = endpoint
    _ = try Bucket(endpoint: endpoint, region: configuration.region, name: "any")
    stores = configuration.credentials.mapValues { CredentialStore($0, now: now) }
    store = CredentialStore(credentials, now: now)
    var connections = configuration.connections
    connections.maxRedirects = 0
    connections.cookies = .none
    connections.credentials = [:]
    loader = CurlLoader(connections)
    let lists = [configuration.allowedBuckets, configuration.deniedBuckets].map {
      $0.sorted().joined(separator: ",")
    }
    identity = (["s3", endpoint.absoluteString] + lists + [loader.identity]).joined(separator: " ")
  }

  /// Accepts `s3` URLs.
  public func accepts(_ source: ImageSource) -> Bool { source.url?.scheme?.lowercased() == "s3" }

  /// Returns the rules of HTTP.
  public func cachingRule(for source: ImageSource) -> CachingRule { .http }

  /// Rejects buckets that may not be read, and URLs without a key.
  ///
  /// - Throws: `LoadingError`: `addressRefused`, `invalidURL`, `unsupportedScheme`.
  public func check(_ source: ImageSource) throws { _ = try object(of: source) }

  /// Sends a signed request.
  ///
  /// - Throws: `LoadingError`, with status 403 also when the server refuses the keys; `LoadingError.sourceFailed` without keys;
  ///   `CancellationError`.
  public func load(_ request: LoadRequest) async throws -> LoadResponse {
    let object = try object(of: request.source)
    let offset = state.withLock { $0.clock.offset }
    do {
      return try await send(object, request, offset: offset)
    } catch LoadingError.httpStatus(_, let status, let headers, _) where status == 403 {
      // The signature of a clock that is wrong; anything else is refused again.
      let isLearned = state.withLock {
        $0.clock.refused(date: headers[.date], used: offset, now: now())
      }
      guard isLearned else { throw LoadingError.httpStatus(object.url, status: 403, headers: headers) }
      return try await send(object, request, offset: state.withLock { $0.clock.offset })
    }
  }

  private struct Object {
    let url: URL
    let bucket: Bucket
    let key: String
    let query: [(name: String, value: String)]
  }

  private func object(of source: ImageSource) throws -> Object {
    guard let url = source.url, accepts(source) else { throw LoadingError.unsupportedScheme(source) }
    guard let name = url.host(percentEncoded: false), !name.isEmpty else {
      throw LoadingError.invalidURL(url, reason: "it names no bucket")
    }
    guard configuration.allowedBuckets.isEmpty || configuration.allowedBuckets.contains(name),
      !configuration.deniedBuckets.contains(name)
    else { throw LoadingError.addressRefused(url, reason: "its bucket may not be read") }
    let key = String(url.path(percentEncoded: false).drop { $0 == "/" })
    guard !key.isEmpty, key.utf8.count <= 1_024 else {
      throw LoadingError.invalidURL(url, reason: "it names no object of a bucket")
    }
    // libcurl would remove them, and the signature would be that of another path.
    let segments = key.split(separator: "/", omittingEmptySubsequences: false)
    guard !segments.contains("."), !segments.contains("..") else {
      throw LoadingError.invalidURL(url, reason: "its key has dot segments")
    }
    var query: [(name: String, value: String)] = []
    if let text = url.query(percentEncoded: false), !text.isEmpty {
      let prefix = "versionId="
      guard text.hasPrefix(prefix), !text.contains("&") else {
        throw LoadingError.invalidURL(url, reason: "its query is not versionId=…")
      }
      query = [("versionId", String(text.dropFirst(prefix.count)))]
    }
    do {
      let bucket = try Bucket(
        endpoint: endpoint, region: configuration.region, name: name, prefix: "",
        addressing: configuration.addressing)
      return Object(url: url, bucket: bucket, key: key, query: query)
    } catch {
      throw LoadingError.invalidURL(url, reason: error.description)
    }
  }

  private func send(_ object: Object, _ request: LoadRequest, offset: Int) async throws -> LoadResponse {
    let bucket = object.bucket
    let signer: RequestSigner
    do {
      signer = try await self.signer(for: bucket.name)
    } catch {
      if error == .cancelled { throw CancellationError() }
      throw LoadingError.sourceFailed(request.source, reason: error.description)
    }
    let signed = signer.sign(
      RequestSigner.Request(
        method: "GET", host: bucket.host, path: bucket.basePath + object.key, query: object.query),
      at: SigningTime(now().addingTimeInterval(Double(offset))))
    guard let url = URL(string: bucket.base + signed.target, encodingInvalidCharacters: false) else {
      throw LoadingError.invalidURL(object.url, reason: "it names no object of a bucket")
    }
    var signedRequest = request
    signedRequest.source = .url(url)
    signedRequest.fallbacks = []
    signedRequest.credential = nil
    if request.validators?.url == object.url { signedRequest.validators?.url = nil }
    for field in signed.fields { signedRequest.headers[field.name] = field.value }
    do {
      var response = try await loader.load(signedRequest)
      response.url = object.url
      return response
    } catch LoadingError.httpStatus(_, let status, let headers, _) {
      throw LoadingError.httpStatus(object.url, status: status, headers: headers)
    }
  }

  private func signer(for bucket: String) async throws(BucketError) -> RequestSigner {
    let own = stores[bucket]
    let keys = try await (own ?? store).keys()
    return state.withLock { state in
      let name = own == nil ? "" : bucket
      if let known = state.signers[name], known.keys == keys { return known.signer }
      let signer = RequestSigner(keys, region: configuration.region)
      state.signers[name] = (keys, signer)
      return signer
    }
  }
}
