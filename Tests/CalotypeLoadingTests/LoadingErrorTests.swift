import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("HTTP errors", .timeLimit(.minutes(1)))
struct HTTPErrorTests {
  let server: ScriptedHTTPServer
  let loader = CurlLoader()

  init() throws {
    server = try ScriptedHTTPServer()
  }

  private func fail(_ request: LoadRequest) async -> LoadingError? {
    await loadingError { _ = try await loader.data(for: request) }
  }

  private func fail(_ path: String, timeouts: LoadRequest.Timeouts = LoadRequest.Timeouts()) async
    -> LoadingError?
  {
    await fail(LoadRequest(url: server.url(path), timeouts: timeouts))
  }

  @Test(arguments: [300, 400, 401, 404, 408, 429, 500, 503])
  func status(status: Int) async throws {
    server.route("/status", .body(Data("no".utf8), status: status, headers: [("Retry-After", "7")]))
    let error = await fail("/status")
    guard case .httpStatus(let url, let seen, let headers, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(url == server.url("/status"))
    #expect(seen == status)
    #expect(headers[.retryAfter] == "7")
    #expect(error?.isRetryable == [408, 429, 500, 503].contains(status))
    // The small body was read, so that the connection can serve again.
    repeat { await loader.settle() } while loader.statistics.active > 0
    server.route("/ok", .body(Data([1])))
    _ = try await loader.data(for: LoadRequest(url: server.url("/ok")))
    #expect(server.connectionCount == 1)
    #expect(loader.statistics.failed == 1)
  }

  @Test func longErrorBodyIsNotRead() async throws {
    server.route("/long", .body(pattern(20_000_000), status: 500))
    #expect(await fail("/long")?.code == "httpStatus")
    try await server.waitForDisconnects("/long")
    #expect(server.bytesSent("/long") < 15_000_000)
  }

  @Test func truncated() async throws {
    server.route("/cut", .truncated(pattern(1_000), declared: 2_000))
    #expect(
      await fail("/cut") == .truncatedBody(server.url("/cut"), received: 1_000, expected: 2_000))
    server.route(
      "/cut-chunked",
      ScriptedReply([.head(200, [("Transfer-Encoding", "chunked")]), .chunk(pattern(50)), .close]))
    #expect(
      await fail("/cut-chunked") == .truncatedBody(server.url("/cut-chunked"), received: 50, expected: nil))
    server.route(
      "/reset", ScriptedReply([.head(200, [("Content-Length", "99")]), .bytes(pattern(9)), .reset]))
    #expect(await fail("/reset")?.code == "truncatedBody")
  }

  @Test(arguments: [["5", "9"], ["5, 9"], ["18446744073709551621"]])
  func contradictingLengths(lengths: [String]) async throws {
    server.route(
      "/two", ScriptedReply([.head(200, lengths.map { ("Content-Length", $0) }), .bytes(pattern(9)), .close]))
    let error = await fail("/two")
    #expect(error?.code == "protocolError" && error?.isRetryable == false, "\(String(describing: error))")
  }

  @Test(arguments: [80_000, 150_000, 290_000, 1_000_000])
  func longHeaderLines(count: Int) async throws {
    let field = (name: "X-Long", value: String(repeating: "a", count: count))
    server.route("/long", .body(pattern(9), headers: [field, field, field, field]))
    let error = await fail("/long")
    #expect(error?.code == "protocolError" && error?.isRetryable == false, "\(String(describing: error))")
  }

  @Test func bytesBeforeTheCutArrive() async throws {
    server.route("/cut", .truncated(pattern(1_000), declared: 2_000))
    var seen = Data()
    let error = await loadingError {
      for try await chunk in try await loader.load(LoadRequest(url: server.url("/cut"))).body {
        seen.append(chunk)
      }
    }
    #expect(error?.code == "truncatedBody")
    #expect(seen == pattern(1_000))
  }

  @Test func moreThanDeclaredIsCut() async throws {
    server.route(
      "/more", ScriptedReply([.head(200, [("Content-Length", "10")]), .bytes(pattern(30)), .close]))
    let (data, _) = try await loader.data(for: LoadRequest(url: server.url("/more")))
    #expect(data == pattern(30).prefix(10))
  }

  @Test func empty() async throws {
    server.route("/empty", .body(Data()))
    server.route("/none", ScriptedReply([.head(204, [])]))
    #expect(await fail("/empty") == .emptyBody(.url(server.url("/empty"))))
    #expect(await fail("/none") == .emptyBody(.url(server.url("/none"))))
  }

  @Test func tooLargeByDeclaration() async throws {
    server.route("/big", .gated([(Gate(), pattern(1_001))]))
    let request = LoadRequest(url: server.url("/big"), byteLimit: 1_000)
    #expect(await fail(request) == .tooLarge(request.source, limit: 1_000, declared: 1_001))
    try await server.waitForDisconnects("/big")
  }

  @Test func tooLargeWhileReceiving() async throws {
    server.route("/big", .chunked((0..<100).map { pattern(1_000, seed: $0 + 1) }))
    let request = LoadRequest(url: server.url("/big"), byteLimit: 10_000)
    #expect(await fail(request) == .tooLarge(request.source, limit: 10_000, declared: nil))
    server.route("/fits", .chunked((0..<10).map { pattern(1_000, seed: $0 + 1) }))
    let fitting = LoadRequest(url: server.url("/fits"), byteLimit: 10_000)
    #expect(try await loader.data(for: fitting).0.count == 10_000)
  }

  @Test func idleTimeout() async throws {
    // Were the connect timeout what wakes the loader, this would never end.
    let timeouts = LoadRequest.Timeouts(connect: .seconds(3_600), idle: .milliseconds(150))
    server.route("/hang", .hang)
    server.route("/stuck", ScriptedReply([.head(200, [("Content-Length", "9")]), .bytes(Data([1])), .hang]))
    let before = await fail("/hang", timeouts: timeouts)
    #expect(before == .timedOut(server.url("/hang"), phase: .idle, after: .milliseconds(150)))
    let middle = await fail("/stuck", timeouts: timeouts)
    #expect(middle == .timedOut(server.url("/stuck"), phase: .idle, after: .milliseconds(150)))
    try await server.waitForDisconnects("/hang")
    try await server.waitForDisconnects("/stuck")
  }

  @Test func totalTimeout() async throws {
    server.route("/hang", .hang)
    let error = await fail("/hang", timeouts: LoadRequest.Timeouts(total: .milliseconds(150)))
    #expect(error == .timedOut(server.url("/hang"), phase: .total, after: .milliseconds(150)))
    #expect(error?.gatewayStatus == 504 && error?.retryAfter == nil)
  }

  @Test func totalTimeoutCountsTheQueue() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 1))
    server.route("/hang", .hang)
    server.route("/ok", .body(Data([1])))
    let first = Task { try await loader.data(for: LoadRequest(url: server.url("/hang"))) }
    try await server.waitForRequests("/hang")
    let request = LoadRequest(
      url: server.url("/ok"), timeouts: LoadRequest.Timeouts(total: .milliseconds(100)))
    let error = await loadingError { _ = try await loader.data(for: request) }
    #expect(error == .timedOut(server.url("/ok"), phase: .queue, after: .milliseconds(100)))
    #expect(error?.gatewayStatus == 503 && error?.retryAfter == .seconds(1))
    #expect(server.requests(for: "/ok").isEmpty)
    first.cancel()
    #expect(await wasCancelled(first))
  }

  @Test func whatIsTooLateIsNeverSent() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 1))
    server.route("/ok", .body(Data([1])))
    let request = LoadRequest(url: server.url("/ok"), timeouts: LoadRequest.Timeouts(total: .zero))
    let error = await loadingError { _ = try await loader.data(for: request) }
    #expect(error == .timedOut(server.url("/ok"), phase: .queue, after: .zero))
    #expect(loader.statistics.started == 0 && loader.statistics.failed == 1)
    // Its place is free.
    #expect(try await loader.data(for: LoadRequest(url: server.url("/ok"))).0 == Data([1]))
    #expect(server.connectionCount == 1 && server.requests.count == 1)
    #expect(loader.statistics.active == 0 && loader.statistics.queued == 0)
  }

  @Test func connectTimeout() async throws {
    // A server that never answers the TLS handshake.
    let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
    let error = await fail(LoadRequest(url: url, timeouts: LoadRequest.Timeouts(connect: .milliseconds(150))))
    #expect(error == .timedOut(url, phase: .connect, after: .milliseconds(150)))
  }

  @Test func closedWithoutAnswer() async throws {
    server.route("/close", .close)
    let error = await fail("/close")
    #expect(error?.code == "connectionFailed")
    #expect(error?.isRetryable == true)
  }

  @Test func refusedConnection() async throws {
    let gone = try ScriptedHTTPServer()
    let url = gone.url("/")
    gone.stop()
    // The port is closed by the server's thread: connections that still get through end with it.
    let error = await fail(LoadRequest(url: url))
    #expect(error?.code == "connectionFailed")
  }

  @Test func unknownHost() async throws {
    let url = try #require(URL(string: "http://no-such-host.invalid/a.png"))
    let error = await fail(LoadRequest(url: url))
    #expect(error == .hostNotFound(url, host: "no-such-host.invalid"))
  }

  @Test func unusableURLs() async throws {
    let other = try #require(URL(string: "gopher://127.0.0.1/"))
    #expect(await fail(LoadRequest(url: other)) == .unsupportedScheme(.url(other)))
    let hostless = try #require(URL(string: "http:///a.png"))
    #expect(await fail(LoadRequest(url: hostless))?.code == "invalidURL")
    // No name has such a character: it is not looked up.
    let escaped = try #require(URL(string: "http://a%25b/a.png"))
    #expect(await fail(LoadRequest(url: escaped))?.code == "invalidURL")
  }

  @Test func adviceForSchemes() throws {
    let bare = try #require(URL(string: "photo.jpg"))
    #expect(LoadingError.unsupportedScheme(.url(bare)).description.contains("URL(filePath:)"))
    let file = LoadingError.unsupportedScheme(.url(URL(filePath: "/etc/passwd")))
    #expect(file.description.contains("FileLoader"))
  }

  @Test func malformedResponse() async throws {
    server.route("/junk", ScriptedReply([.bytes(Data("SSH-2.0 hello\r\n\r\n".utf8)), .close]))
    #expect(await fail("/junk")?.code == "protocolError")
    let value = String(repeating: "x", count: 1_000)
    server.route(
      "/headers", ScriptedReply([.head(200, (0..<400).map { ("X-\($0)", value) }), .hang]))
    #expect(await fail("/headers")?.code == "protocolError")
  }

  @Test func descriptionsSayWhatAndWhere() throws {
    let url = try #require(URL(string: "https://me:secret@example.org/a.png"))
    let error = LoadingError.timedOut(url, phase: .idle, after: .seconds(15))
    #expect(error.description.contains("example.org/a.png"))
    #expect(error.description.contains("idle"))
    #expect(!error.description.contains("secret") && !error.description.contains("me@"))
    let others = [
      LoadingError.vetoed(url, reason: "not \(url.absoluteString)"), .unsupportedScheme(.url(url)),
      .emptyBody(.data(Data(), id: url.absoluteString)),
    ]
    for error in others {
      #expect(!"\(error)".contains("secret") && "\(error)".contains("example.org/a.png"))
    }
    let long = try #require(URL(string: "data:image/png;base64," + String(repeating: "A", count: 10_000)))
    #expect(LoadingError.emptyBody(.url(long)).description.count < 200)
  }
}

@Suite("Advice of loading errors")
struct LoadingErrorAdviceTests {
  private static let url = URL(filePath: "/a.png")

  private static func status(_ status: Int, _ headers: HTTPFields = [:]) -> LoadingError {
    .httpStatus(url, status: status, headers: headers)
  }

  @Test("a malformed URL is 400, one that a policy refuses 403")
  func gatewayStatusOfURLs() {
    let source = ImageSource.url(Self.url)
    let malformed: [LoadingError] = [
      .invalidURL(Self.url, reason: ""), .unsupportedScheme(source), .invalidDataURL(Self.url, reason: ""),
      .notRegularFile(Self.url, kind: "a folder"), .sourceFailed(source, reason: ""),
    ]
    let refused: [LoadingError] = [
      .vetoed(Self.url, reason: ""), .addressRefused(Self.url, reason: ""),
      .redirectRefused(Self.url, reason: ""),
      .outsideRoots(Self.url),
    ]
    #expect(malformed.map(\.gatewayStatus) == malformed.map { _ in 400 })
    #expect(refused.map(\.gatewayStatus) == refused.map { _ in 403 })
    #expect((malformed + refused).allSatisfy { !$0.isRetryable && $0.retryAfter == nil })
  }

  @Test("a remembered failure and an open circuit breaker know when to retry")
  func retryAfterOfRefusals() {
    // A client that waits a little too short is refused again.
    for (wait, seconds) in [
      (Duration.milliseconds(1_500), 2), (.milliseconds(1), 1), (.seconds(3), 3), (.zero, 0),
    ] {
      let remembered = LoadingError.recentlyFailed(.url(Self.url), code: "tls", retryAfter: wait)
      let suspended = LoadingError.hostSuspended(Self.url, host: "h", retryAfter: wait)
      #expect(remembered.retryAfter == .seconds(seconds) && suspended.retryAfter == .seconds(seconds))
    }
    #expect(LoadingError.queueFull(Self.url, limit: 1).retryAfter == nil)
    #expect(LoadingError.connectionFailed(Self.url, reason: "").retryAfter == nil)
  }

  @Test("a retryable status passes on its Retry-After", arguments: [408, 425, 429, 500, 502, 503, 504])
  func retryAfterOfRetryableStatus(status: Int) {
    #expect(Self.status(status, [.retryAfter: "7"]).retryAfter == .seconds(7))
    #expect(
      Self.status(
        status,
        [.retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
      ).retryAfter == .seconds(30))
    #expect(Self.status(status, [.retryAfter: "soon"]).retryAfter == nil)
    #expect(Self.status(status).retryAfter == nil)
  }

  @Test("no other status has a time", arguments: [400, 401, 403, 404, 410, 501])
  func retryAfterOfOtherStatus(status: Int) {
    #expect(Self.status(status, [.retryAfter: "7"]).retryAfter == nil)
  }
}
