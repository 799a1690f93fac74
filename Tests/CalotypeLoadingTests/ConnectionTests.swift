import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Connections and time", .timeLimit(.minutes(1)))
struct ConnectionTests {
  let server: ScriptedHTTPServer
  let loader = CurlLoader()

  init() throws {
    server = try ScriptedHTTPServer()
  }

  @Test func metrics() async throws {
    server.route("/a", .body(pattern(5_000)))
    server.route("/old", .redirect(to: "/a"))
    let (_, first) = try await loader.data(for: LoadRequest(url: server.url("/a")))
    let cold = try #require(first.metrics)
    #expect(!cold.isConnectionReused && cold.connect > .zero && cold.firstByte > .zero)
    #expect(cold.total >= cold.firstByte && cold.tls == .zero)
    #expect(cold.bytesReceived == 5_000 && cold.headerBytes > 20 && cold.redirects == 0)
    #expect(cold.networkProtocol == "http/1.1" && cold.remoteAddress == "127.0.0.1")
    let (_, second) = try await loader.data(for: LoadRequest(url: server.url("/old")))
    let warm = try #require(second.metrics)
    #expect(warm.isConnectionReused && warm.connect == .zero && warm.nameLookup == .zero)
    #expect(warm.redirects == 1)
    #expect(server.connectionCount == 1)
  }

  @Test func metricsComeWithTheEnd() async throws {
    let gate = Gate()
    server.route("/a", .gated([(gate, Data([1]))]))
    let response = try await loader.load(LoadRequest(url: server.url("/a")))
    #expect(response.metrics == nil)
    gate.open()
    for try await _ in response.body {}
    #expect(response.metrics != nil)
  }

  @Test func fieldsThatAreTakenAway() async throws {
    server.route("/a", .body(Data([1])))
    let loader = curlLoader {
      $0.headers[.accept] = nil
      $0.headers[.userAgent] = nil
      $0.headers[.acceptLanguage] = "la"
    }
    _ = try await loader.data(for: LoadRequest(url: server.url("/a")))
    let seen = try #require(server.requests.first)
    #expect(seen[header: "Accept"] == nil && seen[header: "User-Agent"] == nil)
    #expect(seen[header: "Accept-Language"] == "la")
  }

  /// A byte now and then keeps the idle time-out from passing, but not this.
  @Test func dripsAreCut() async throws {
    server.route("/a") { _ in
      ScriptedReply(
        [.head(200, [("Content-Length", "1000")])]
          + (0..<1_000).map { _ in .drip(Data([1]), .milliseconds(5)) })
    }
    server.route("/b", .body(Data([2])))
    let loader = curlLoader { $0.maxConcurrent = 1 }
    let timeouts = LoadRequest.Timeouts(
      idle: .seconds(10), minimumSpeed: .init(bytesPerSecond: 10_000, over: .milliseconds(100)))
    async let cut = loadingError {
      _ = try await loader.data(for: LoadRequest(url: server.url("/a"), timeouts: timeouts))
    }
    // Its place is free afterwards.
    async let other = loader.data(for: LoadRequest(url: server.url("/b"))).0
    guard case .timedOut(_, .minimumSpeed, _) = await cut else {
      Issue.record("\(String(describing: await cut))")
      return
    }
    #expect(try await other == Data([2]))
    try await server.waitForDisconnects("/a")
    // As long as the deadline for all of it.
    let total = LoadRequest.Timeouts(idle: .seconds(10), total: .milliseconds(100), minimumSpeed: nil)
    let error = await loadingError {
      _ = try await loader.data(for: LoadRequest(url: server.url("/a"), timeouts: total))
    }
    guard case .timedOut(_, .total, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.gatewayStatus == 504)
  }

  /// Slow enough to take for ever, and never slow enough for a minimum speed.
  @Test(arguments: [true, false])
  func bodiesAreCutThatTakeTooLong(isDeclared: Bool) async throws {
    let length = isDeclared ? [(name: "Content-Length", value: "100000000")] : []
    let drips = [ScriptedReply.Step](repeating: .drip(Data([1]), .milliseconds(2)), count: 10_000)
    server.route("/a", ScriptedReply([.head(200, length)] + drips))
    server.route("/b", ScriptedReply([.head(302, [("Location", "/a")] + length)] + drips))
    let timeouts = LoadRequest.Timeouts(
      idle: .seconds(10), minimumSpeed: nil, body: .init(base: .milliseconds(100), bytesPerSecond: 1 << 20))
    for path in ["/a", "/b"] {
      let error = await loadingError {
        _ = try await CurlLoader().data(for: LoadRequest(url: server.url(path), timeouts: timeouts))
      }
      guard case .timedOut(server.url(path), .body, let after) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(after >= .milliseconds(100) && after < .milliseconds(200))
      #expect(error?.isRetryable == true && error?.gatewayStatus == 504)
      try await server.waitForDisconnects(path)
    }
  }

  /// One that begins a handshake, and never comes to the point.
  @Test func slowTLS() async throws {
    let slow = try ScriptedHTTPServer(greeting: [.bytes(Data([0x16, 3, 3, 0x40, 0])), .hang])
    let url = try #require(URL(string: "https://127.0.0.1:\(slow.port)/a"))
    let request = LoadRequest(url: url, timeouts: LoadRequest.Timeouts(connect: .milliseconds(80)))
    let error = await loadingError { _ = try await loader.data(for: request) }
    guard case .timedOut(_, .connect, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await slow.waitForNoConnections()
  }

  @Test func whatIsNoTLS() async throws {
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/a"))
    let plain = try ScriptedHTTPServer(greeting: [.bytes(Data("HTTP/1.1 400 No\r\n\r\n".utf8)), .close])
    let other = try #require(URL(string: "https://127.0.0.1:\(plain.port)/a"))
    #expect(await loadingError { _ = try await loader.data(for: LoadRequest(url: other)) }?.code == "tls")
    let request = LoadRequest(url: url, timeouts: LoadRequest.Timeouts(connect: .milliseconds(80)))
    #expect(await loadingError { _ = try await loader.data(for: request) }?.isRetryable == true)
  }

  @Test func partsThatNobodyAskedFor() async throws {
    server.route("/a", .body(Data([1]), status: 206, headers: [("Content-Range", "bytes 0-0/9")]))
    var request = LoadRequest(url: server.url("/a"))
    #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "protocolError")
    request.headers[.range] = "bytes=0-0"
    #expect(try await loader.data(for: request).1.status == 206)
  }

  @Test func conditionalRequests() async throws {
    let bytes = pattern(100)
    server.route("/a") {
      .resource(bytes, etag: "\"1\"", for: $0, headers: [("Last-Modified", "Sat, 21 Nov 2026 10:00:00 GMT")])
    }
    var request = LoadRequest(url: server.url("/a"))
    let (_, response) = try await loader.data(for: request)
    request.validators = response.validators
    let (data, again) = try await loader.data(for: request)
    #expect(data.isEmpty && again.isNotModified)
    let seen = try #require(server.requests.last)
    #expect(seen[header: "If-None-Match"] == "\"1\"")
    #expect(seen[header: "If-Modified-Since"] == "Sat, 21 Nov 2026 10:00:00 GMT")
    request.validators = LoadRequest.Validators(etag: "\"0\"")
    #expect(try await loader.data(for: request).0 == bytes)
    // Nobody asked whether it has changed.
    server.route("/b", .status(304))
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/b"))) }?.code
        == "httpStatus")
  }

  @Test(arguments: [0.0, 0.2, 0.5, 1.0])
  func progressSteps(step: Double) async throws {
    let pieces = (0..<100).map { _ in Gate() }
    server.route("/a", .gated(pieces.map { ($0, pattern(1_000)) }))
    server.route("/unknown", .chunked((0..<10).map { _ in pattern(1_000) }))
    var request = LoadRequest(url: server.url("/a"))
    request.progressStep = step
    var reports: [LoadProgress] = []
    pieces[0].open()
    _ = try await loader.data(for: request) { progress in
      reports.append(progress)
      // The next piece comes after the one before has been seen.
      for gate in pieces.prefix(progress.received / 1_000 + 1) { gate.open() }
      if step > 0 { for gate in pieces { gate.open() } }
    }
    #expect(reports.map(\.received) == reports.map(\.received).sorted())
    #expect(reports.last == LoadProgress(received: 100_000, expected: 100_000))
    if step == 0 { #expect(reports.count > 90) }
    if step == 0.2 { #expect(reports.count <= 6) }
    if step == 1 { #expect(reports.count <= 2) }
    request.source = .url(server.url("/unknown"))
    reports = []
    _ = try await loader.data(for: request) { reports.append($0) }
    #expect(reports.dropLast().allSatisfy { $0.expected == nil })
    #expect(reports.last == LoadProgress(received: 10_000, expected: 10_000))
  }

  @Test func largeBodiesAreNotInMemory() async throws {
    let bytes = pattern(3_000_000)
    server.route("/known", .body(bytes))
    server.route("/unknown", .chunked([bytes.prefix(2_000_000), bytes.dropFirst(2_000_000)]))
    for path in ["/known", "/unknown"] {
      var request = LoadRequest(url: server.url(path))
      request.memoryByteLimit = 1 << 20
      #expect(try await loader.data(for: request).0 == bytes)
      request.memoryByteLimit = 0
      #expect(try await loader.data(for: request).0 == bytes)
    }
  }

  @Test func downloads() async throws {
    let folder = try LocalServer.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.png")
    let bytes = pattern(3_000_000)
    server.route("/a", .body(bytes))
    var last = 0
    let response = try await loader.download(LoadRequest(url: server.url("/a")), to: file) { progress in
      last = progress.received
    }
    #expect(response.status == 200 && last == bytes.count)
    #expect(try Data(contentsOf: file) == bytes)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(mode.map { $0 & 0o400 } == 0o400)
    // What fails leaves what was there, and nothing else.
    server.route("/cut", ScriptedReply.body(pattern(900_000)).cut(after: 500_000))
    server.route("/empty", .body(Data()))
    for path in ["/cut", "/empty", "/none"] {
      #expect(
        await loadingError { _ = try await loader.download(LoadRequest(url: server.url(path)), to: file) }
          != nil)
    }
    let small = LoadRequest(url: server.url("/a"), byteLimit: 1_000)
    #expect(await loadingError { _ = try await loader.download(small, to: file) }?.code == "tooLarge")
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.png"])
    let nowhere = folder.appending(path: "none/a.png")
    #expect(
      await loadingError { _ = try await loader.download(LoadRequest(url: server.url("/a")), to: nowhere) }?
        .code
        == "fileUnwritable")
  }

  @Test func cancelledDownloadsLeaveNothing() async throws {
    let folder = try LocalServer.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    server.route("/a", ScriptedReply([.head(200, [("Content-Length", "100")]), .bytes(pattern(50)), .hang]))
    let (loader, url, begun) = (self.loader, server.url("/a"), Gate())
    let task = Task {
      try await loader.download(LoadRequest(url: url), to: folder.appending(path: "a")) { _ in begun.open()
      }.status
    }
    try await begun.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try await server.waitForDisconnects("/a")
  }

  /// Each failure has its error, and each error the status that a server in between owes.
  @Test func errorsAndWhatAServerMakesOfThem() async throws {
    server.route("/404", .status(404))
    server.route("/401", .status(401))
    server.route("/500", .status(500))
    server.route("/504", .status(504))
    server.route("/reset", ScriptedReply([.reset]))
    server.route("/hang", .hang)
    server.route("/short", .truncated(pattern(600), declared: 1_000))
    server.route("/empty", .body(Data()))
    server.route("/large", .body(pattern(2_000)))
    server.route("/loop", .redirect(to: "/loop"))
    server.route("/out", .redirect(to: "ftp://127.0.0.1/"))
    let expected: [(path: String, code: String, status: Int)] = [
      ("/404", "httpStatus", 404), ("/401", "httpStatus", 502), ("/500", "httpStatus", 502),
      ("/504", "httpStatus", 504), ("/reset", "connectionFailed", 502), ("/hang", "timedOut", 504),
      ("/short", "truncatedBody", 502), ("/empty", "emptyBody", 502), ("/large", "tooLarge", 413),
      ("/loop", "tooManyRedirects", 502), ("/out", "redirectRefused", 403),
    ]
    for (path, code, status) in expected {
      let request = LoadRequest(
        url: server.url(path),
        timeouts: LoadRequest.Timeouts(idle: path == "/hang" ? .milliseconds(50) : .seconds(15)),
        byteLimit: 1_500)
      let error = await loadingError { _ = try await loader.data(for: request) }
      #expect(error?.code == code, "\(path)")
      #expect(error?.gatewayStatus == status, "\(path)")
    }
  }

  @Test func endlessTrailersAreCut() async throws {
    let trailers = Data(String(repeating: "X-T: 1\r\n", count: 50_000).utf8)
    server.route(
      "/a",
      ScriptedReply([
        .head(200, [("Transfer-Encoding", "chunked")]), .chunk(Data([1])), .bytes(Data("0\r\n".utf8)),
        .bytes(trailers),
        .hang,
      ]))
    let request = LoadRequest(url: server.url("/a"), timeouts: LoadRequest.Timeouts(idle: .seconds(10)))
    #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "protocolError")
  }

  @Test(arguments: [
    LoadRequest.Credential.bearer("a\r\nEvil: 1"), .bearer("a\n"), .basic(user: "a\n", password: ""),
    .digest(user: "a", password: "\0"),
  ])
  func credentialsOfSeveralLines(credential: LoadRequest.Credential) async throws {
    server.route("/a", .body(Data([1])))
    let request = LoadRequest(url: server.url("/a"), credential: credential)
    #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "invalidURL")
    #expect(server.connectionCount == 0)
  }

  @Test func limitsWithoutLimit() async throws {
    server.route("/a", .body(Data([1])))
    let loader = curlLoader {
      $0.maxConcurrent = .max
      $0.maxConcurrentPerHost = .max
      $0.maxQueued = .max
      $0.maxRedirects = .max
      $0.highWater = .max
    }
    loader.setLimits(maxConcurrent: .max, maxConcurrentPerHost: .max)
    let request = LoadRequest(
      url: server.url("/a"),
      timeouts: LoadRequest.Timeouts(
        connect: .seconds(Int64.max), idle: .seconds(Int64.max), total: .seconds(Int64.max)),
      byteLimit: .max)
    #expect(try await loader.data(for: request).0 == Data([1]))
    loader.setLimits(maxConcurrent: .min, maxConcurrentPerHost: .min)
    #expect(try await loader.data(for: request).0 == Data([1]))
  }
}
