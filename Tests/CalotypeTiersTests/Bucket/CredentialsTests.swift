import CalotypeSupport
import CalotypeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import CalotypeTiers

/// Where the keys of buckets come from, and when they are fetched.
@Suite("Credentials of buckets", .timeLimit(.minutes(5)))
struct CredentialsTests {
  @Test func environment() async throws {
    let keys = try await EnvironmentCredentials(environment: [
      "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
    ]).keys()
    #expect(try keys == BucketKeys(accessKey: "AK", secretKey: "secret", sessionToken: "token"))
    #expect(try await EnvironmentCredentials(environment: ["AWS_ACCESS_KEY_ID": "AK"]).keys() == nil)
    #expect(
      try await EnvironmentCredentials(environment: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "s"])
        .keys() == nil)
  }

  @Test func files() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: ".aws"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let credentials = """
      # a comment
      [default]
      aws_access_key_id = AK1
      aws_secret_access_key=se=cret1
      s3 =
        aws_secret_access_key = nested
      [ other ]
      aws_access_key_id = AK2
      AWS_SECRET_ACCESS_KEY = secret2
      aws_session_token = token2
      """
    let config = "[profile third]\naws_access_key_id = AK3\naws_secret_access_key = secret3\n[third]\n"
    try Data(credentials.utf8).write(to: folder.appending(path: ".aws/credentials"))
    try Data(config.utf8).write(to: folder.appending(path: ".aws/config"))
    func keys(_ profile: String?, _ more: [String: String] = [:]) async throws -> BucketKeys? {
      try await FileCredentials(
        profile: profile, environment: ["HOME": folder.path].merging(more) { $1 }
      ).keys()
    }
    #expect(try await keys(nil) == BucketKeys(accessKey: "AK1", secretKey: "se=cret1"))
    #expect(
      try await keys(nil, ["AWS_PROFILE": "other"])
        == BucketKeys(accessKey: "AK2", secretKey: "secret2", sessionToken: "token2"))
    #expect(try await keys("third") == BucketKeys(accessKey: "AK3", secretKey: "secret3"))
    #expect(try await keys("missing") == nil)
    #expect(
      try await keys(nil, ["AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_CONFIG_FILE": "/nowhere"]) == nil)
  }

  private static let document = Data(
    """
    {"Code":"Success","Type":"AWS-HMAC","AccessKeyId":"ASIA1","SecretAccessKey":"secret","Token":"token",
    "Expiration":"2030-01-02T03:04:05Z","LastUpdated":"2026-01-01T00:00:00Z"}
    """.utf8)
  private static var documentKeys: BucketKeys {
    get throws {
      try BucketKeys(
        accessKey: "ASIA1", secretKey: "secret", sessionToken: "token",
        expires: Date(timeIntervalSince1970: 1_893_553_445))
    }
  }

  @Test func containers() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    server.route("/keys") { $0[header: "Authorization"] == "Basic abc" ? .body(Self.document) : .status(403) }
    let url = "http://127.0.0.1:\(server.port)/keys"
    func keys(_ environment: [String: String]) async throws -> BucketKeys? {
      try await ContainerCredentials(environment: environment, client: MetadataClient(limit: .seconds(60)))
        .keys()
    }
    let full = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
    #expect(
      try await keys([full: url, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Basic abc"]) == Self.documentKeys)
    let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("Basic abc\n".utf8).write(to: file)
    #expect(
      try await keys([full: url, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": file.path]) == Self.documentKeys)
    #expect(try await keys([:]) == nil)
    for environment in [
      [full: url], [full: "http://example.org/keys"], [full: "keys"],
      [full: url, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\nb"],
      ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@evil.example/"],
      [full: url, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/nowhere"],
    ] {
      await #expect(throws: BucketError.self) { try await keys(environment) }
    }
  }

  @Test func virtualMachines() async throws {
    let server = try ScriptedHTTPServer()
    defer { server.stop() }
    let roles = "/latest/meta-data/iam/security-credentials"
    server.route("/latest/api/token") {
      $0.method == "PUT" && $0[header: "X-aws-ec2-metadata-token-ttl-seconds"] == "21600"
        ? .body(Data("session".utf8)) : .status(400)
    }
    server.routeOthers { request in
      guard request[header: "X-aws-ec2-metadata-token"] == "session" else { return .status(401) }
      return switch request.path {
      case roles + "/": .body(Data("my-role\n".utf8))
      case roles + "/my-role": .body(Self.document)
      default: .status(404)
      }
    }
    func keys(_ more: [String: String] = [:]) async throws -> BucketKeys? {
      let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(server.port)"]
      return try await InstanceCredentials(
        environment: environment.merging(more) { $1 }, client: MetadataClient(limit: .seconds(60))
      ).keys()
    }
    #expect(try await keys() == Self.documentKeys)
    #expect(try await keys(["AWS_EC2_METADATA_DISABLED": "true"]) == nil)
    server.route(roles + "/", .body(Data("../../etc".utf8)))
    #expect(try await keys() == nil)
    server.route(roles + "/", .body(Data("my-role".utf8)))
    server.route(roles + "/my-role", .body(Data("{\"Code\":\"Failed\"}".utf8)))
    await #expect(throws: BucketError.self) { try await keys() }
    server.route("/latest/api/token", .hang)
    await #expect(throws: BucketError.self) {
      _ = try await InstanceCredentials(
        environment: ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(server.port)"],
        client: MetadataClient(limit: .milliseconds(50))
      ).keys()
    }
  }

  @Test func documentsWithoutKeys() {
    for text in ["", "{}", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"\"}", "[1]"] {
      #expect(throws: BucketError.self) { try KeysDocument.keys(Data(text.utf8)) }
    }
    let odd = "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Expiration\":\"soon\"}"
    #expect(throws: BucketError.self) { try KeysDocument.keys(Data(odd.utf8)) }
  }

  // MARK: When

  private static func keys(_ name: String, until seconds: TimeInterval?) throws -> BucketKeys {
    try BucketKeys(
      accessKey: name, secretKey: "s", expires: seconds.map { Date(timeIntervalSince1970: $0) })
  }

  private static func time(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test func keysAreFetchedBeforeTheyExpire() throws {
    var refresh = CredentialRefresh()
    #expect(refresh.next(now: Self.time(0)) == .fetch)
    #expect(refresh.next(now: Self.time(0)) == .wait)
    let first = try Self.keys("A", until: 1_000)
    refresh.fetched(.success(first), now: Self.time(0))
    #expect(refresh.next(now: Self.time(699)) == .use(first))
    #expect(refresh.next(now: Self.time(700)) == .useAndFetch(first))
    #expect(refresh.next(now: Self.time(700)) == .use(first))
    // A failure does not take the keys away, until they expire.
    refresh.fetched(.failure(.noCredentials(reason: "")), now: Self.time(701))
    #expect(refresh.next(now: Self.time(702)) == .use(first))
    #expect(refresh.next(now: Self.time(706)) == .useAndFetch(first))
    refresh.fetched(.failure(.noCredentials(reason: "")), now: Self.time(989))
    #expect(refresh.next(now: Self.time(989)) == .use(first))
    #expect(refresh.next(now: Self.time(991)) == .fail(.noCredentials(reason: "")))
    #expect(refresh.next(now: Self.time(995)) == .fetch)
    let second = try Self.keys("B", until: nil)
    refresh.fetched(.success(second), now: Self.time(996))
    #expect(refresh.next(now: Self.time(1e9)) == .use(second))
  }

  @Test func refusedKeysAreFetchedAnew() throws {
    var refresh = CredentialRefresh()
    _ = refresh.next(now: Self.time(0))
    let keys = try Self.keys("A", until: nil)
    refresh.fetched(.success(keys), now: Self.time(0))
    refresh.reject(try Self.keys("B", until: nil))
    #expect(refresh.next(now: Self.time(0)) == .use(keys))
    refresh.reject(keys)
    #expect(refresh.next(now: Self.time(0)) == .useAndFetch(keys))
    // The same ones again: not asked for all the time.
    refresh.fetched(.success(keys), now: Self.time(0))
    #expect(refresh.next(now: Self.time(1)) == .use(keys))
    #expect(refresh.next(now: Self.time(6)) == .useAndFetch(keys))
  }

  /// A source that waits for a gate and counts.
  private final class GatedSource: BucketCredentialProviding {
    let gate = Gate()
    let calls = Lock(0)

    func keys() async throws(BucketError) -> BucketKeys? {
      calls.withLock { $0 += 1 }
      try? await gate.wait()
      return try BucketKeys(accessKey: "AK", secretKey: "s")
    }
  }

  @Test func oneFetchServesAllCallers() async throws {
    let source = GatedSource()
    let store = CredentialStore(BucketCredentials(source), now: { Date() })
    let callers = (0..<50).map { _ in Task { try await store.keys() } }
    try await eventually { source.calls.withLock { $0 } == 1 }
    callers[0].cancel()
    source.gate.open()
    for caller in callers.dropFirst() { #expect(try await caller.value.accessKey == "AK") }
    #expect(source.calls.withLock { $0 } == 1)
  }

  @Test func readsDoNotWaitForSlowSources() async throws {
    let server = try ScriptedBucket()
    defer { server.stop() }
    let source = GatedSource()
    var configuration = BucketCache.Configuration()
    configuration.readDeadline = .milliseconds(50)
    let cache = BucketCache(
      try Bucket(endpoint: server.endpoint, region: server.region, name: server.name),
      credentials: BucketCredentials(source), configuration: configuration)
    #expect(try await cache.read(BucketHarness.key(1)) == nil)
    #expect(cache.statistics.failedReads == 1 && cache.statistics.breaker == .closed)
    #expect(source.calls.withLock { $0 } == 1 && server.counters.requests.isEmpty)
    source.gate.open()
    await cache.shutDown()
  }

  private struct Source: BucketCredentialProviding {
    var result: Result<BucketKeys?, BucketError>

    func keys() async throws(BucketError) -> BucketKeys? { try result.get() }
  }

  @Test func chainsAskOneAfterAnother() async throws {
    let keys = try Self.keys("A", until: nil)
    let failing = Source(result: .failure(.noCredentials(reason: "first")))
    let chain = BucketCredentials.chain(
      BucketCredentials(failing), BucketCredentials(Source(result: .success(nil))), .keys(keys))
    #expect(try await CredentialStore(chain, now: { Date() }).keys() == keys)
    await #expect(throws: BucketError.noCredentials(reason: "first")) {
      try await CredentialStore(
        BucketCredentials(failing, Source(result: .success(nil))), now: { Date() }
      ).keys()
    }
    await #expect(throws: BucketError.self) {
      try await CredentialStore(BucketCredentials(), now: { Date() }).keys()
    }
  }
}
