import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import Foundation
import Testing

@testable import CalotypeTiers

/// Roles that are assumed, over real connections to a token service that verifies signatures by the book.
@Suite("Roles", .timeLimit(.minutes(5)))
struct RoleTests {
  private static let arn = "arn:aws:iam::123456789012:role/images"
  private let service: ScriptedHTTPServer
  private let time = ManualTime()
  private let requests = Lock<[ScriptedRequest]>([])
  private let answer = Lock((status: 200, body: document()))

  init() throws {
    service = try ScriptedHTTPServer()
    let (time, requests, answer) = (time, requests, answer)
    service.routeOthers { request in
      requests.withLock { $0.append(request) }
      let verifier = SignatureVerifier(
        region: "eu-central-1", accessKey: "AKIDEXAMPLE", secretKey: "secret", sessionToken: nil,
        service: "sts")
      do throws(SignatureVerifier.Refusal) {
        try verifier.verify(request, now: Int(time.date.timeIntervalSince1970))
      } catch {
        return .body(Data("\(error.code) \(error.reason)".utf8), status: 400)
      }
      let (status, body) = answer.withLock { $0 }
      return .body(Data(body.utf8), status: status)
    }
  }

  private static func document(_ change: (String) -> String = { $0 }) -> String {
    change(
      """
      <AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
      <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/images/calotype</Arn></AssumedRoleUser>
      <Credentials><AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>of+the/role</SecretAccessKey>
      <SessionToken>to+ken==</SessionToken><Expiration>2023-11-14T23:13:20Z</Expiration></Credentials>
      </AssumeRoleResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleResponse>
      """)
  }

  private func credentials(_ externalID: String? = nil) throws -> RoleCredentials {
    let role = try BucketRole(
      arn: Self.arn, externalID: externalID, region: "eu-central-1", endpoint: service.url(""))
    let keys = try BucketKeys(accessKey: "AKIDEXAMPLE", secretKey: "secret")
    let time = time
    return RoleCredentials(role, base: .keys(keys), proxy: .none, now: { time.date })
  }

  @Test func keysOfARole() async throws {
    let keys = try #require(await credentials("out=side/1").keys())
    #expect(keys.accessKey == "ASIAROLE" && keys.secretKey == "of+the/role")
    #expect(keys.sessionToken == "to+ken==" && keys.expires == Date(timeIntervalSince1970: 1_700_003_600))
    let request = try #require(requests.withLock { $0.first })
    #expect(request.method == "POST" && request.path == "/")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == "Action=AssumeRole&DurationSeconds=3600&ExternalId=out%3Dside%2F1"
        + "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fimages&RoleSessionName=calotype"
        + "&Version=2011-06-15")
    #expect(request[header: "x-amz-content-sha256"]?.utf8.count == 64)
  }

  /// A bucket that knows the keys of the role alone.
  @Test func aBucketIsReadByARole() async throws {
    let time = time
    let bucket = try ScriptedBucket(
      accessKey: "ASIAROLE", secretKey: "of+the/role", sessionToken: "to+ken==", now: { time.date })
    defer { bucket.stop() }
    var configuration = BucketCache.Configuration()
    configuration.readDeadline = .seconds(60)
    configuration.connections.proxy = .none
    let cache = BucketCache(
      try Bucket(endpoint: bucket.endpoint, region: bucket.region, name: bucket.name),
      credentials: BucketCredentials(try credentials()), configuration: configuration,
      now: { time.date })
    for number in 1...3 {
      try await cache.store(
        BucketHarness.data(number), metadata: BucketHarness.metadata(number), for: BucketHarness.key(number))
    }
    try await cache.flush()
    #expect(bucket.objects.count == 3 && bucket.counters.refusals == [:])
    #expect(requests.withLock { $0.count } == 1)
  }

  @Test(arguments: [
    (403, "<ErrorResponse><Error><Code>AccessDenied</Code><Message>secret</Message></Error></ErrorResponse>"),
    (200, ""), (200, "<AssumeRoleResponse/>"),
    (200, document { $0.replacing("<AccessKeyId>ASIAROLE</AccessKeyId>", with: "") }),
    (200, document { $0.replacing("2023-11-14T23:13:20Z", with: "soon") }),
    (200, document { $0.replacing("Credentials>", with: "Other>") }),
    (200, document { $0.replacing("to+ken==", with: "to&#10;ken") }),
    (200, document { $0 + String(repeating: " ", count: 65 << 10) }),
    (302, document()), (500, document()),
  ])
  func refusals(_ status: Int, _ body: String) async throws {
    answer.withLock { $0 = (status, body) }
    await #expect {
      try await credentials().keys()
    } throws: { error in
      guard case .noCredentials(let reason) = error as? BucketError else { return false }
      return !reason.contains("secret") && !reason.contains("role/")
        && (status != 403 || reason.contains("AccessDenied"))
    }
  }

  @Test func otherRolesAreRefused() {
    func refuses(
      _ arn: String = Self.arn, _ id: String? = nil, _ session: String = "calotype", _ region: String = "r",
      _ endpoint: String? = nil
    ) {
      #expect(throws: BucketError.self, "\(arn) \(id ?? "") \(session) \(region) \(endpoint ?? "")") {
        try BucketRole(
          arn: arn, externalID: id, sessionName: session, region: region,
          endpoint: endpoint.flatMap { URL(string: $0) })
      }
    }
    for arn in ["", "role/images", "arn:aws:iam::1", Self.arn + "\n", Self.arn + "&Action=x"] { refuses(arn) }
    for id in ["", "x", "a b", "a&b"] { refuses(Self.arn, id) }
    for session in ["", "x", "a b", "a/b"] { refuses(Self.arn, nil, session) }
    for region in ["", "eu.example/x", "a b"] { refuses(Self.arn, nil, "calotype", region) }
    for url in ["ftp://h", "https://h/path", "https://h?a=b", "https://u:p@h"] {
      refuses(Self.arn, nil, "calotype", "r", url)
    }
  }

  @Test func endpointsAreThoseOfTheRegion() throws {
    let role = try BucketRole(arn: Self.arn, region: "eu-west-1")
    #expect(role.endpoint.absoluteString == "https://sts.eu-west-1.amazonaws.com")
    #expect(role.host == "sts.eu-west-1.amazonaws.com" && role.url?.path() == "/")
    let other = try BucketRole(arn: Self.arn, region: "r", endpoint: URL(string: "http://[::1]:9000"))
    #expect(other.host == "[::1]:9000" && other.url?.absoluteString == "http://[::1]:9000/")
  }
}
