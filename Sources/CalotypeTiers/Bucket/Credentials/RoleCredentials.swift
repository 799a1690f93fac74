import CalotypeLoading
import FoundationEssentials
import HTTPTypes

/// Keys of a role that is assumed: `AssumeRole` of the AWS Security Token Service, signed by other keys.
struct RoleCredentials: BucketCredentialProviding {
  private let role: BucketRole
  private let base: CredentialStore
  private let loader: CurlLoader
  private let now: @Sendable () -> Date

  /// The time for a request.
  private static let limit = Duration.seconds(10)
  /// How long keys last; at most as long as the role allows, which is an hour at least.
  private static let lifetime = 3_600

  init(
    _ role: BucketRole, base: BucketCredentials, proxy: CurlLoader.Configuration.Proxy = .environment,
    now: @escaping @Sendable () -> Date = { Date.now }
  ) {
    self.role = role
    self.base = CredentialStore(base, now: now)
    self.now = now
    var configuration = CurlLoader.Configuration(maxConcurrent: 2)
    configuration.proxy = proxy
    configuration.maxRedirects = 0
    configuration.headers = [.userAgent: "Calotype/0.1"]
    loader = CurlLoader(configuration)
  }

  func keys() async throws(BucketError) -> BucketKeys? {
    let keys = try await base.keys(within: Self.limit)
    let answer = try await send(signedBy: keys)
    let document = RoleDocument([UInt8](answer.body))
    guard answer.isSuccess else {
      if ["ExpiredToken", "InvalidClientTokenId"].contains(document.code) { await base.reject(keys) }
      throw .noCredentials(
        reason: "the token service refuses the role with \(answer.status) \(document.code)")
    }
    return try document.keys
  }

  private func send(signedBy keys: BucketKeys) async throws(BucketError) -> BucketAnswer {
    let content = Data(role.form(lifetime: Self.lifetime).utf8)
    let signer = RequestSigner(keys, region: role.region, service: "sts")
    let signed = signer.sign(
      RequestSigner.Request(
        method: "POST", host: role.host, path: "/",
        fields: [.contentType: "application/x-www-form-urlencoded"], payload: .of([content])),
      at: SigningTime(now()))
    guard let url = role.url else {
      throw .invalidConfiguration(reason: "the endpoint of the token service is no URL")
    }
    let limit = Self.limit
    var request = LoadRequest(
      source: .url(url), headers: signed.fields,
      timeouts: LoadRequest.Timeouts(connect: limit, idle: limit, total: limit),
      byteLimit: RoleDocument.maxLength)
    request.exchange = LoadRequest.Exchange(.post, content: [content])
    do {
      let response = try await loader.load(request)
      var body = Data()
      for try await chunk in response.body { body.append(chunk) }
      return BucketAnswer(status: response.status ?? 0, fields: response.headers, body: body)
    } catch let error as LoadingError {
      throw .noCredentials(reason: "the token service failed: \(error.code)")
    } catch {
      throw .cancelled
    }
  }
}
