import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Identity, partitions and rules of loaders", .timeLimit(.minutes(1)))
final class LoaderIdentityTests {
  private let server: ScriptedHTTPServer
  private let waits = Waits()
  private let folder: URL
  private let bytes = pattern(600_000)

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try LocalServer.makeFolder()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private typealias Change = @Sendable (inout CurlLoader.Configuration) -> Void

  private static let origin = LoadRequest.Origin(scheme: "https", host: "a.test")
  /// Each makes a loader that may deliver other bytes than all others.
  private static let changes: [Change] = [
    { _ in },
    { $0.addressPolicy = .public },
    { $0.addressPolicy = .public.allowing(host: "a.test") },
    { $0.addressPolicy = .public.allowing(host: "b.test") },
    { $0.addressPolicy = .public.allowing(host: "a.test").allowing(host: "b.test") },
    { configuration in
      if let range = IPAddress.Block("10.0.0.0/8") { configuration.addressPolicy = .public.allowing(range) }
    },
    { $0.addressPolicy = .public.trustingProxy() },
    { $0.credentials[origin] = .bearer("secret") },
    { $0.credentials[origin] = .bearer("other") },
    { $0.credentials[origin] = .basic(user: "secret", password: "") },
    { $0.credentials[LoadRequest.Origin(scheme: "https", host: "b.test")] = .bearer("secret") },
    { $0.headers[.accept] = "image/png" },
    { $0.headers[.authorization] = "secret" },
    { $0.cookies = .memory },
    { $0.cookies = .memory },
    { $0.tls.verifiesServer = false },
    { $0.tls.caFile = "/etc/ca.pem" },
    { $0.tls.certificateFile = "/etc/ca.pem" },
    { $0.allowsInsecureRedirects = true },
    { configuration in if let url = URL(string: "http://a:secret@proxy/") { configuration.proxy = .url(url) }
    },
    { configuration in if let url = URL(string: "http://a:other@proxy/") { configuration.proxy = .url(url) }
    },
    { configuration in configuration.hostAddresses["a.test"] = [IPAddress("127.0.0.1")].compactMap { $0 } },
    { configuration in configuration.hostAddresses["a.test"] = [IPAddress("127.0.0.2")].compactMap { $0 } },
  ]

  @Test("all of a configuration that decides about bytes is in the identity, and no secret is")
  func configurations() {
    let identities = Self.changes.map { change in
      var configuration = CurlLoader.Configuration()
      change(&configuration)
      return CurlLoader(configuration).identity
    }
    #expect(Set(identities).count == Self.changes.count)
    #expect(identities[0].isEmpty)
    #expect(identities.allSatisfy { !$0.contains("secret") })
    // What says how much at a time decides about no bytes.
    #expect(CurlLoader(.init(maxConcurrent: 2, maxConcurrentPerHost: 1)).identity.isEmpty)
  }

  @Test("the same configuration has the same identity in another loader, but for cookies")
  func repeatable() {
    for (index, change) in Self.changes.enumerated() where index != 13 && index != 14 {
      let pair = (0..<2).map { _ in
        var configuration = CurlLoader.Configuration()
        change(&configuration)
        return CurlLoader(configuration).identity
      }
      #expect(pair[0] == pair[1])
    }
  }

  private struct Step: LoadIntercepting, BodyTransforming {
    let identity: String
    func makeTransform(for response: LoadResponse) -> (any ChunkTransforming)? { nil }
  }

  @Test("groups and loaders of HTTP are named after all their parts, and their order")
  func composition() {
    func http(_ interceptors: [String], _ transforms: [String], _ transport: CurlLoader = .shared) -> String {
      var configuration = HTTPLoader.Configuration()
      configuration.interceptors = interceptors.map(Step.init)
      configuration.bodyTransforms = transforms.map(Step.init)
      return HTTPLoader(configuration, transport: transport).identity
    }
    var curl = CurlLoader.Configuration()
    curl.addressPolicy = .public
    let identities = [
      http([], []), http(["a"], []), http([], ["a"]), http(["a", "b"], []), http(["b", "a"], []),
      http(["a"], ["b"]), http(["ab"], []), http(["", "ab"], []), http([], [], CurlLoader(curl)),
    ]
    #expect(Set(identities).count == identities.count)
    #expect(http([""], [""]).isEmpty)
    #expect(LoaderGroup.standard.identity.isEmpty)
    #expect(!LoaderGroup.standard.adding(CurlLoader(curl)).identity.isEmpty)
  }

  @Test("rules of caching: those of HTTP for its schemes, none for others, and what a loader says")
  func rules() {
    let group = LoaderGroup.standard.adding(
      ClosureLoader(scheme: "bucket", data: { _ in Data() }))
    func rule(_ text: String, _ loader: some ImageLoading) -> CachingRule? {
      URL(string: text).map { loader.cachingRule(for: .url($0)) }
    }
    #expect(rule("http://a/", group) == .http && rule("HTTPS://a/", group) == .http)
    for text in ["bucket:///a", "file:///a", "data:,a", "nobody:///a"] {
      #expect(rule(text, group) == .never)
    }
    #expect(group.cachingRule(for: .data(Data(), id: "a")) == .never)
    var bucket = ClosureLoader(scheme: "bucket", data: { _ in Data() })
    bucket.cachingRule = .lifetime(.seconds(5))
    #expect(rule("bucket:///a", group.adding(bucket)) == .lifetime(.seconds(5)))
    #expect(rule("https://a/", group.adding(bucket)) == .http)
    // A loader of HTTP says what its transport says.
    #expect(rule("bucket:///a", HTTPLoader(transport: bucket)) == .lifetime(.seconds(5)))
  }

  @Test(
    "what a policy of addresses refuses without a look-up is refused by a check, through groups and hooks")
  func checks() throws {
    let group = LoaderGroup.forUntrustedURLs()
    func code(_ text: String, _ loader: some ImageLoading) -> String? {
      guard let url = URL(string: text) else { return "no URL" }
      do {
        try loader.check(.url(url))
        return nil
      } catch { return (error as? LoadingError)?.code }
    }
    for text in ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://2130706433/"] {
      #expect(code(text, group) == "addressRefused", "\(text)")
      #expect(code(text, LoaderGroup.standard) == nil)
    }
    #expect(code("https://example.org/", group) == nil)
    // It may go elsewhere.
    var configuration = HTTPLoader.Configuration()
    configuration.interceptors = [Step(identity: "")]
    var curl = CurlLoader.Configuration()
    curl.addressPolicy = .public
    #expect(code("http://127.0.0.1/", HTTPLoader(configuration, transport: CurlLoader(curl))) == nil)
  }

  @Test("the loader of URLs given by others takes a transport, and confines it unless that was done")
  func untrusted() throws {
    func refuses(_ policy: AddressPolicy, _ host: String) -> Bool {
      var transport = CurlLoader.Configuration()
      transport.addressPolicy = policy
      guard let url = URL(string: "http://\(host)/") else { return false }
      return (try? LoaderGroup.forUntrustedURLs(transport: transport).check(.url(url))) == nil
    }
    #expect(refuses(.any, "10.0.0.1") && refuses(.public, "10.0.0.1"))
    let range = try #require(IPAddress.Block("10.0.0.0/8"))
    #expect(!refuses(.public.allowing(range), "10.0.0.1") && refuses(.public.allowing(range), "127.0.0.1"))
  }

  // MARK: Partitions

  private func loader(
    _ change: (inout HTTPLoader.Configuration) -> Void, _ transport: CurlLoader = CurlLoader()
  ) -> HTTPLoader {
    waits.loader(transport) {
      $0.partials = PartialStore(folder: folder, minBytes: 1)
      $0.retry = .none
      change(&$0)
    }
  }

  private func cut(_ path: String, _ headers: [(name: String, value: String)] = []) {
    let bytes = self.bytes
    server.route(path) { request in
      ScriptedReply.resource(bytes, etag: "\"1\"", for: request, headers: headers).cut(after: 300_000)
    }
  }

  /// The ranges that were asked for, `nil` for all of the body.
  private func ranges(_ path: String) -> [String?] { server.requests(for: path).map { $0[header: "Range"] } }

  private func fail(
    _ loader: HTTPLoader, _ path: String, _ partition: String? = nil, accept: String? = nil
  ) async {
    var request = LoadRequest(url: server.url(path))
    request.partition = partition
    request.accept = accept
    _ = await loadingError { _ = try await loader.data(for: request) }
  }

  @Test("partitions share no parts of bodies")
  func parts() async {
    cut("/a")
    let loader = loader { _ in }
    for partition in [nil, "a", "b", "", nil, "a", "b", ""] as [String?] {
      await fail(loader, "/a", partition)
    }
    #expect(ranges("/a").prefix(4) == [nil, nil, nil, nil])
    #expect(ranges("/a").dropFirst(4).allSatisfy { $0 == "bytes=300000-" })
  }

  @Test("loaders of different identity share no parts of bodies, those of the same do")
  func partsOfLoaders() async {
    cut("/a")
    for name in ["ann", "bob", "ann"] {
      await fail(loader { $0.interceptors = [Step(identity: name)] }, "/a")
    }
    #expect(ranges("/a") == [nil, nil, "bytes=300000-"])
  }

  @Test(
    "nothing is kept of a body that is not to be stored",
    arguments: ["no-store", "private, No-Store", "max-age=5,no-store ,public", "no-store=\"x\""])
  func noStore(control: String) async throws {
    cut("/a", [("Cache-Control", control)])
    let loader = loader { _ in }
    await fail(loader, "/a")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    await fail(loader, "/a")
    #expect(ranges("/a") == [nil, nil])
  }

  @Test("nor of one whose request says so")
  func noStoreAsked() async throws {
    cut("/a", [("Cache-Control", "max-age=100")])
    var request = LoadRequest(url: server.url("/a"))
    request.headers[.cacheControl] = "no-store"
    let loader = loader { _ in }
    _ = await loadingError { _ = try await loader.data(for: request) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("requests with different Accept fields share neither parts of bodies nor failures")
  func accepting() async {
    cut("/a")
    server.route("/missing", .status(404))
    let memory = FailureMemory()
    let loader = loader { $0.failureMemory = memory }
    for accept in [nil, "image/webp", "image/webp", nil] as [String?] {
      await fail(loader, "/a", accept: accept)
      await fail(loader, "/missing", accept: accept)
    }
    #expect(ranges("/a") == [nil, nil, "bytes=300000-", "bytes=300000-"])
    #expect(
      server.requests(for: "/missing").map { $0[header: "Accept"] } == ["image/*,*/*;q=0.8", "image/webp"])
  }

  @Test("partitions share no memory of failures")
  func failures() async {
    server.route("/missing", .status(404))
    let memory = FailureMemory()
    let loader = loader { $0.failureMemory = memory }
    for _ in 0..<2 {
      for partition in [nil, "a", "b"] as [String?] {
        await fail(loader, "/missing", partition)
      }
    }
    #expect(server.requests(for: "/missing").count == 3)
  }

  @Test("loaders of different identities hear nothing of each other's failures")
  func failuresOfOthers() async {
    server.route("/missing", .status(404))
    let memory = FailureMemory()
    let open = loader { $0.failureMemory = memory }
    let other = loader {
      $0.failureMemory = memory
      $0.bodyTransforms = [Base64Transform()]
    }
    for _ in 0..<2 {
      await fail(open, "/missing", nil)
      await fail(other, "/missing", nil)
    }
    #expect(server.requests(for: "/missing").count == 2 && memory.count == 2)
    let request = LoadRequest(url: server.url("/missing"))
    #expect(memory.failure(for: request, of: other) != nil)
    memory.forget(request, of: other)
    #expect(memory.failure(for: request, of: other) == nil && memory.failure(for: request, of: open) != nil)
  }

  @Test("one partition whose URLs fail does not take the host from others")
  func breakers() async throws {
    server.route("/good", .body(Data([1])))
    let loader = loader {
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 3)
      $0.failureMemory = nil
    }
    for path in ["/1", "/2", "/3"] {
      server.route(path, .status(500))
      await fail(loader, path, "mallory")
    }
    var request = LoadRequest(url: server.url("/good"))
    request.partition = "alice"
    #expect(try await loader.data(for: request).0 == Data([1]))
    request.partition = "mallory"
    #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "hostSuspended")
  }

  @Test("an interceptor that makes a new request does not lead it out of its partition")
  func interceptorsKeepPartitions() async throws {
    struct Rewriting: LoadIntercepting {
      let identity = "rewriting"
      func request(_ request: LoadRequest) -> LoadRequest { LoadRequest(source: request.source) }
    }
    var request = LoadRequest(url: server.url("/a"))
    request.partition = "a"
    #expect(try await request.intercepted(by: [Rewriting()]).partition == "a")
  }

  @Test("partitions neither get nor send cookies")
  func cookies() async throws {
    server.route("/set", .body(Data([1]), headers: [("Set-Cookie", "a=1; Path=/")]))
    server.route("/get", .body(Data([1])))
    var configuration = CurlLoader.Configuration()
    configuration.cookies = .memory
    let loader = CurlLoader(configuration)
    func load(_ path: String, _ partition: String?) async throws {
      var request = LoadRequest(url: server.url(path))
      request.partition = partition
      _ = try await loader.data(for: request)
    }
    try await load("/set", "a")
    for partition in [nil, "a"] { try await load("/get", partition) }
    #expect(server.requests(for: "/get").allSatisfy { $0[header: "Cookie"] == nil })
    try await load("/set", nil)
    for partition in [nil, "a", "b"] { try await load("/get", partition) }
    #expect(server.requests(for: "/get").suffix(3).map { $0[header: "Cookie"] } == ["a=1", nil, nil])
  }
}
