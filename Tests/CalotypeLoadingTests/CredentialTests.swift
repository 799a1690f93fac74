import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Credentials", .timeLimit(.minutes(1)))
struct CredentialTests {
  let server: ScriptedHTTPServer
  let other: ScriptedHTTPServer
  let loader = CurlLoader()

  init() throws {
    server = try ScriptedHTTPServer()
    other = try ScriptedHTTPServer()
    let basic = "Basic YW5uOnNlY3JldA=="
    for each in [server, other] {
      each.route("/basic") { $0[header: "Authorization"] == basic ? .body(Data([1])) : .status(401) }
      each.route("/open", .body(Data([2])))
    }
    server.route("/out", .redirect(to: other.url("/open").absoluteString))
    server.route("/in", .redirect(to: "/basic"))
  }

  private func load(_ path: String, _ credential: LoadRequest.Credential?, _ loader: CurlLoader? = nil)
    async throws
    -> Data
  {
    let request = LoadRequest(source: .url(server.url(path)), credential: credential)
    return try await (loader ?? self.loader).data(for: request).0
  }

  @Test func basic() async throws {
    #expect(try await load("/basic", .basic(user: "ann", password: "secret")) == Data([1]))
    #expect(server.requests.count == 1)
    // Wrong ones fail at once and are not repeated.
    let error = await loadingError { _ = try await load("/basic", .basic(user: "ann", password: "wrong")) }
    guard case .httpStatus(_, 401, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.count == 2)
    #expect(error?.isRetryable == false)
    #expect(try await load("/in", .basic(user: "ann", password: "secret")) == Data([1]))
  }

  @Test func inTheURL() async throws {
    let url = try #require(URL(string: "http://ann:secret@127.0.0.1:\(server.port)/basic"))
    #expect(try await loader.data(for: LoadRequest(url: url)).0 == Data([1]))
    let out = try #require(URL(string: "http://ann:secret@127.0.0.1:\(server.port)/out"))
    #expect(try await loader.data(for: LoadRequest(url: out)).0 == Data([2]))
    #expect(other.requests.last?[header: "Authorization"] == nil)
    // A redirect does not say who we are.
    server.route("/as", .redirect(to: "http://ann:secret@127.0.0.1:\(other.port)/basic"))
    let error = await loadingError { _ = try await load("/as", nil) }
    #expect(error?.code == "httpStatus")
    #expect(other.requests.allSatisfy { $0[header: "Authorization"] == nil })
  }

  @Test(arguments: [
    LoadRequest.Credential.basic(user: "ann", password: "secret"), .digest(user: "ann", password: "secret"),
    .bearer("t0k3n"),
  ])
  func staysWithItsOrigin(credential: LoadRequest.Credential) async throws {
    let authority = DigestAuthority(user: "ann", password: "secret")
    other.route("/open") { $0[header: "Authorization"] == nil ? authority.challenge : .body(Data([3])) }
    let error = await loadingError { _ = try await load("/out", credential) }
    #expect(error?.code == "httpStatus")
    #expect(other.requests.count == 1)
    #expect(other.requests.allSatisfy { $0[header: "Authorization"] == nil })
  }

  @Test func fieldsOfTheRequestStayWithItsOrigin() async throws {
    var request = LoadRequest(url: server.url("/out"))
    for (name, value) in [
      ("X-Api-Key", "k"), ("Cookie", "s=1"), ("Authorization", "x"), ("Accept", "image/png"),
    ] {
      request.headers[try #require(.init(name))] = value
    }
    _ = try await loader.data(for: request)
    let first = try #require(server.requests.first)
    #expect(first[header: "X-Api-Key"] == "k" && first[header: "Cookie"] == "s=1")
    let second = try #require(other.requests.first)
    for name in ["X-Api-Key", "Cookie", "Authorization"] { #expect(second[header: name] == nil) }
    #expect(second[header: "Accept"] == "image/png")
    #expect(second[header: "User-Agent"] != nil)
  }

  @Test func digest() async throws {
    let authority = DigestAuthority(user: "ann", password: "secret")
    server.route("/digest") { authority.admits($0) ? .body(pattern(70_000)) : authority.challenge }
    #expect(try await load("/digest", .digest(user: "ann", password: "secret")) == pattern(70_000))
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { !$0.headers.contains { $0.value.contains("secret") } })
    let error = await loadingError { _ = try await load("/digest", .digest(user: "ann", password: "wrong")) }
    guard case .httpStatus(_, 401, _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.count == 4)
    // A server that does not ask.
    #expect(try await load("/open", .digest(user: "ann", password: "secret")) == Data([2]))
    // One that asks with a page about it.
    server.route(
      "/page", .body(pattern(5_000), status: 401, headers: [("WWW-Authenticate", "Basic realm=x")]))
    #expect(
      await loadingError { _ = try await load("/page", .digest(user: "ann", password: "x")) }?.code
        == "httpStatus")
  }

  @Test func bearerAndConfiguredOrigins() async throws {
    server.route("/token") { $0[header: "Authorization"] == "Bearer t0k3n" ? .body(Data([1])) : .status(403) }
    #expect(try await load("/token", .bearer("t0k3n")) == Data([1]))
    let origin = try #require(LoadRequest.Origin(server.url("/")))
    let configured = curlLoader { $0.credentials = [origin: .basic(user: "ann", password: "secret")] }
    #expect(try await load("/basic", nil, configured) == Data([1]))
    #expect(try await load("/out", nil, configured) == Data([2]))
    #expect(other.requests.allSatisfy { $0[header: "Authorization"] == nil })
    // Back at the origin they are known again.
    other.route("/back", .redirect(to: server.url("/basic").absoluteString))
    let back = LoadRequest(url: other.url("/back"))
    #expect(try await configured.data(for: back).0 == Data([1]))
    #expect(other.requests.allSatisfy { $0[header: "Authorization"] == nil })
  }

  @Test func descriptionsKeepSecrets() {
    for credential in [
      LoadRequest.Credential.basic(user: "ann", password: "secret"), .digest(user: "ann", password: "secret"),
    ] {
      #expect(!"\(credential)".contains("secret") && "\(credential)".contains("ann"))
    }
    #expect("\(LoadRequest.Credential.bearer("secret"))" == "Bearer")
  }

  @Test func cookiesAreKeptOnlyIfWanted() async throws {
    server.route(
      "/set", .body(Data([1]), headers: [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/x")]))
    server.route("/get", .body(Data([1])))
    other.route("/get", .body(Data([1])))
    let keeping = curlLoader { $0.cookies = .memory }
    for loader in [keeping, self.loader] {
      _ = try await loader.data(for: LoadRequest(url: server.url("/set")))
      _ = try await loader.data(for: LoadRequest(url: server.url("/get")))
    }
    #expect(server.requests(for: "/get").map { $0[header: "Cookie"] } == ["a=1", nil])
    // Another host, and another loader, know nothing of them.
    _ = try await keeping.data(for: LoadRequest(url: server.url("/get", host: "localhost")))
    _ = try await curlLoader { $0.cookies = .memory }.data(for: LoadRequest(url: server.url("/get")))
    #expect(server.requests(for: "/get").suffix(2).allSatisfy { $0[header: "Cookie"] == nil })
  }
}
