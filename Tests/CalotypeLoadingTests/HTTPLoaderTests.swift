import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

/// A loader whose waits take no time, and what it waited for.
final class Waits: Sendable {
  private let all = Lock<[Duration]>([])
  private let clock: ManualTime

  init(_ clock: ManualTime = ManualTime()) {
    self.clock = clock
  }

  var durations: [Duration] { all.withLock { $0 } }

  /// Waiting moves the clock on.
  var timing: HTTPLoader.Timing {
    HTTPLoader.Timing(
      now: { self.clock.instant },
      sleep: { duration in
        try Task.checkCancellation()
        self.all.withLock { $0.append(duration) }
        self.clock.advance(by: duration)
      }, random: { 1 })
  }

  func loader(
    _ transport: any ImageLoading = CurlLoader.shared,
    _ change: (inout HTTPLoader.Configuration) -> Void = { _ in }
  ) -> HTTPLoader {
    var configuration = HTTPLoader.Configuration()
    configuration.failureMemory = FailureMemory(now: { self.clock.instant })
    change(&configuration)
    return HTTPLoader(configuration, transport: transport, timing: timing)
  }
}

@Suite("Retries", .timeLimit(.minutes(1)))
struct HTTPLoaderTests {
  let server: ScriptedHTTPServer
  let clock = ManualTime()
  let waits: Waits

  init() throws {
    server = try ScriptedHTTPServer()
    waits = Waits(clock)
  }

  /// One reply after the other; the last one from then on.
  private func route(_ path: String, _ replies: [ScriptedReply]) {
    let count = Lock(0)
    server.route(path) { _ in
      count.withLock { count in
        defer { count += 1 }
        return replies[min(count, replies.count - 1)]
      }
    }
  }

  @Test func failuresThatPass() async throws {
    route("/a", [ScriptedReply([.reset]), .status(503), .body(pattern(100))])
    let loader = waits.loader()
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/a")))
    #expect(data == pattern(100))
    #expect(waits.durations == [.milliseconds(250), .milliseconds(500)])
    #expect(loader.statistics.requests == 3 && loader.statistics.retries == 2)
    #expect(response.metrics?.attempts == 3)
  }

  @Test func noMoreThanAllowed() async throws {
    server.route("/a", .status(503))
    let error = await loadingError {
      _ = try await waits.loader { $0.circuitBreaker = nil }.data(for: LoadRequest(url: server.url("/a")))
    }
    #expect(error?.code == "httpStatus")
    #expect(server.requests.count == 3)
    server.route("/b", .status(404))
    _ = await loadingError { _ = try await waits.loader().data(for: LoadRequest(url: server.url("/b"))) }
    #expect(server.requests(for: "/b").count == 1)
  }

  @Test func serversSayWhen() async throws {
    route("/a", [.status(429, headers: [("Retry-After", "7")]), .body(Data([1]))])
    _ = try await waits.loader().data(for: LoadRequest(url: server.url("/a")))
    #expect(waits.durations == [.seconds(7)])
    // Nobody waits for an hour.
    server.route("/b", .status(503, headers: [("Retry-After", "3600")]))
    _ = await loadingError { _ = try await waits.loader().data(for: LoadRequest(url: server.url("/b"))) }
    #expect(server.requests(for: "/b").count == 1)
  }

  @Test func deadlinesOfTheCallerHold() async throws {
    server.route("/a", .status(503, headers: [("Retry-After", "7")]))
    let request = LoadRequest(url: server.url("/a"), timeouts: LoadRequest.Timeouts(total: .seconds(10)))
    let error = await loadingError { _ = try await waits.loader().data(for: request) }
    // A second wait would have ended after 14 seconds.
    #expect(error?.code == "httpStatus")
    #expect(waits.durations == [.seconds(7)])
    #expect(server.requests.count == 2)
  }

  @Test func cancelledWaits() async throws {
    server.route("/a", .status(503))
    let asleep = Gate()
    let timing = HTTPLoader.Timing(
      now: { .now },
      sleep: { _ in
        asleep.open()
        try await Gate().wait()
      }, random: { 0 })
    let loader = HTTPLoader(.init(), transport: CurlLoader(), timing: timing)
    let url = server.url("/a")
    let task = Task { try await loader.data(for: LoadRequest(url: url)).0 }
    try await asleep.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(server.requests.count == 1)
  }

  // MARK: Fallbacks

  @Test func fallbacks() async throws {
    let mirror = try ScriptedHTTPServer()
    server.route("/a", .status(404))
    server.route("/b", .status(403))
    mirror.route("/a", .body(Data([2])))
    var request = LoadRequest(url: server.url("/a"))
    request.headers[.authorization] = "Bearer x"
    request.credential = .bearer("y")
    request.headers[.accept] = "image/png"
    request.fallbacks = [server.url("/b"), mirror.url("/a"), mirror.url("/never")]
    let loader = waits.loader()
    let (data, response) = try await loader.data(for: request)
    #expect(data == Data([2]))
    #expect(response.url == mirror.url("/a"))
    #expect(loader.statistics.fallbacks == 2)
    #expect(server.requests(for: "/b").first?[header: "Authorization"] != nil)
    let seen = try #require(mirror.requests.first)
    #expect(seen[header: "Authorization"] == nil)
    #expect(seen[header: "Accept"] == "image/png")
    #expect(mirror.requests.count == 1)
    request.fallbacks = [server.url("/b"), mirror.url("/none")]
    let error = await loadingError { _ = try await loader.data(for: request) }
    #expect(error?.source == .url(mirror.url("/none")))
  }

  // MARK: Memory of failures, circuit breaker

  @Test func failuresAreRemembered() async throws {
    server.route("/a", .status(404))
    let loader = waits.loader()
    let request = LoadRequest(url: server.url("/a"))
    _ = await loadingError { _ = try await loader.data(for: request) }
    let error = await loadingError { _ = try await loader.data(for: request) }
    guard case .recentlyFailed(_, "httpStatus", let wait) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(wait == .seconds(60))
    #expect(error?.gatewayStatus == 404)
    #expect(server.requests.count == 1)
    let memory = try #require(loader.configuration.failureMemory)
    #expect(memory.entries.map(\.code) == ["httpStatus"])
    // Others see other things.
    var other = request
    other.headers[.authorization] = "Bearer x"
    _ = await loadingError { _ = try await loader.data(for: other) }
    #expect(server.requests.count == 2)
    // It is back, and time passes.
    server.route("/a", .body(Data([1])))
    clock.advance(by: .seconds(61))
    #expect(try await loader.data(for: request).0 == Data([1]))
    #expect(memory.failure(for: request) == nil)
    memory.removeAll()
    #expect(memory.count == 0)
  }

  /// Time-outs, cancels, unknown hosts and refused connections do not stand in the way of the next request.
  @Test func passingFailuresAreNotRemembered() async throws {
    let loader = waits.loader { $0.retry = .none }
    let closed = try LocalServer.freePort()
    server.route("/hang", .hang)
    let nowhere = try #require(URL(string: "http://127.0.0.1:\(closed)/a"))
    let requests = [
      LoadRequest(url: nowhere),
      LoadRequest(url: server.url("/hang"), timeouts: LoadRequest.Timeouts(idle: .milliseconds(30))),
    ]
    for request in requests {
      let first = await loadingError { _ = try await loader.data(for: request) }
      let second = await loadingError { _ = try await loader.data(for: request) }
      #expect(first?.code == second?.code && first?.code != "recentlyFailed")
    }
    let task = Task { [server] in try await loader.data(for: LoadRequest(url: server.url("/hang"))).0 }
    try await server.waitForRequests("/hang", count: 3)
    task.cancel()
    #expect(await wasCancelled(task))
    loader.configuration.failureMemory?.record(.hostNotFound(nowhere, host: "nobody"), for: requests[0])
    #expect(loader.configuration.failureMemory?.count == 0)
  }

  @Test func hostsThatKeepFailingAreLeftAlone() async throws {
    for path in ["/a", "/b", "/c"] { server.route(path, .status(500)) }
    let loader = waits.loader {
      $0.retry = .none
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 3, coolDown: .seconds(5))
    }
    let request = LoadRequest(url: server.url("/a"))
    // One URL that fails is not its host.
    for _ in 0..<4 {
      #expect(await loadingError { _ = try await loader.data(for: request) }?.code == "httpStatus")
    }
    for path in ["/b", "/c"] {
      _ = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url(path))) }
    }
    let error = await loadingError { _ = try await loader.data(for: request) }
    guard case .hostSuspended(_, let host, let wait) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(host == "http://127.0.0.1:\(server.port)" && wait == .seconds(5))
    #expect(server.requests.count == 6)
    #expect(error?.gatewayStatus == 503)
    clock.advance(by: .seconds(6))
    server.route("/a", .body(Data([1])))
    #expect(try await loader.data(for: request).0 == Data([1]))
    #expect(try await loader.data(for: request).0 == Data([1]))
    #expect(loader.statistics.suspended == 1)
  }

  /// One that finds out, and is told that there is no such image, has found out that the host answers.
  @Test(arguments: [false, true]) func aHostThatAnswersAtAllIsAskedAgain(intercepts: Bool) async throws {
    for path in ["/a", "/b", "/c"] { server.route(path, .status(500)) }
    let loader = waits.loader {
      $0.retry = .none
      $0.failureMemory = nil
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 3, coolDown: .seconds(5))
      if intercepts { $0.interceptors = [Passing()] }
    }
    func code(_ path: String) async -> String? {
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url(path))) }?.code
    }
    for path in ["/a", "/b", "/c"] { #expect(await code(path) == "httpStatus") }
    #expect(await code("/a") == "hostSuspended")
    clock.advance(by: .seconds(6))
    server.route("/b", .status(404))
    #expect(await code("/b") == "httpStatus")
    #expect(await code("/a") == "httpStatus")
    #expect(server.requests.count == 5)
  }

  // MARK: Hooks and gates

  @Test func vetoesSendNothing() async throws {
    struct Forbidding: LoadIntercepting {
      let identity = ""
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        guard let url = request.source.url else { return request }
        throw LoadingError.vetoed(url, reason: "no")
      }
    }
    server.route("/a", .body(Data([1])))
    let loader = waits.loader { $0.interceptors = [Forbidding()] }
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }
    #expect(error == .vetoed(server.url("/a"), reason: "no"))
    #expect(server.connectionCount == 0)
  }

  @Test func interceptorsRewriteRequestsAndResponses() async throws {
    struct Placeholders: LoadIntercepting {
      let refused: Int
      let identity = "placeholders"
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        var request = request
        request.headers[.authorization] = "Bearer fresh"
        return request
      }
      func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
        if response.status == refused { throw LoadingError.vetoed(response.url, reason: "\(refused)") }
        guard response.status == 404 else { return response }
        var response = response
        response.status = 200
        return response
      }
    }
    server.route("/a", .body(Data([7]), status: 404))
    server.route("/b", .body(Data([7]), status: 206))
    server.route("/c", .status(500))
    let loader = waits.loader {
      $0.interceptors = [Placeholders(refused: 203)]
      $0.retry = .none
    }
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/a")))
    #expect(data == Data([7]) && response.status == 200)
    #expect(server.requests.first?[header: "Authorization"] == "Bearer fresh")
    server.route("/d", .body(Data([7]), status: 203))
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/d"))) }
        == .vetoed(server.url("/d"), reason: "203"))
    // Those that nobody takes are errors as ever.
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/c"))) }?.code
        == "httpStatus")
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/b"))) }?.code
        == "protocolError")
  }

  @Test(
    arguments: [
      ("image/png", true), ("IMAGE/PNG; q=1", true), ("image/webp", true),
      ("text/html; charset=utf-8", false),
      ("application/octet-stream", false), ("image", false), ("", false), (nil, false),
    ] as [(String?, Bool)])
  func contentTypes(type: String?, isAccepted: Bool) async throws {
    server.route("/a", .body(Data([1]), headers: type.map { [("Content-Type", $0)] } ?? []))
    let loader = waits.loader { $0.contentTypes = ["image/png", "image/w*", "image/*"] }
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }
    if isAccepted {
      #expect(error == nil)
    } else {
      guard case .unacceptableContentType(_, let named, let accepted) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(named ?? "" == type ?? "" && accepted.contains("image/png"))
    }
  }

  @Test func bodyTransforms() async throws {
    server.route("/a", .body(Data(pattern(10_000).base64EncodedString().utf8)))
    server.route("/b", .body(Data("%%%".utf8)))
    let loader = waits.loader { $0.bodyTransforms = [Base64Transform()] }
    let (data, response) = try await loader.data(for: LoadRequest(url: server.url("/a")))
    #expect(data == pattern(10_000))
    #expect(response.expectedLength == nil)
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/b"))) }
    #expect(error?.code == "bodyTransformFailed")
  }

  @Test func statusesOfARequest() async throws {
    server.route("/a", .body(Data([7]), status: 404))
    var request = LoadRequest(url: server.url("/a"))
    request.statuses = .success.union(404...404)
    #expect(try await waits.loader().data(for: request).1.status == 404)
    #expect(try await CurlLoader().data(for: request).0 == Data([7]))
    request.statuses = LoadRequest.AcceptedStatuses(200...200)
    #expect(await loadingError { _ = try await CurlLoader().data(for: request) }?.code == "httpStatus")
  }

  /// libcurl replaced as a whole: any loader will do.
  @Test func transportsOfOnesOwn() async throws {
    let calls = Lock(0)
    let transport = ClosureLoader(scheme: "http") { request -> LoadResponse in
      let count = calls.withLock { count in
        count += 1
        return count
      }
      let url = try #require(request.source.url)
      if count == 1 { throw LoadingError.connectionFailed(url, reason: "played") }
      return LoadResponse(url: url, status: 200, body: LoadBody([Data([9])]))
    }
    let url = try #require(URL(string: "http://nowhere.invalid/a"))
    #expect(try await waits.loader(transport).data(for: LoadRequest(url: url)).0 == Data([9]))
    #expect(calls.withLock { $0 } == 2)
  }

  /// What shows in the body counts as what shows in the head.
  @Test func failuresInTheBodyAreRememberedLongerEachTime() async throws {
    server.route("/a", .body(Data("%%%".utf8)))
    let loader = waits.loader { $0.bodyTransforms = [Base64Transform()] }
    let request = LoadRequest(url: server.url("/a"))
    let memory = try #require(loader.configuration.failureMemory)
    _ = await loadingError { _ = try await loader.data(for: request) }
    #expect(memory.failure(for: request, of: loader)?.count == 1)
    clock.advance(by: .seconds(61))
    _ = await loadingError { _ = try await loader.data(for: request) }
    #expect(memory.failure(for: request, of: loader)?.count == 2)
    #expect(server.requests.count == 2)
    // A 404 that is an error to one is an answer to another.
    server.route("/b", .body(Data([1]), status: 404))
    var other = LoadRequest(url: server.url("/b"))
    _ = await loadingError { _ = try await loader.data(for: other) }
    other.statuses = .any
    #expect(await loadingError { _ = try await loader.data(for: other) }?.code != "recentlyFailed")
  }

  @Test func hostsThatBreakOffAreLeftAlone() async throws {
    let loader = waits.loader {
      $0.retry = .none
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 3)
    }
    for path in ["/a", "/b", "/c"] {
      server.route(path, .truncated(pattern(10), declared: 100))
      #expect(
        await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url(path))) }?.code
          == "truncatedBody")
    }
    #expect(
      await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }?.code
        == "hostSuspended")
  }

  // MARK: What finds out

  private struct Passing: LoadIntercepting {
    let identity = ""
  }

  /// A loader whose breaker has opened for the server, and would let one request through.
  private func suspending(_ change: (inout HTTPLoader.Configuration) -> Void) async -> HTTPLoader {
    let loader = waits.loader {
      $0.retry = .none
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 1, coolDown: .seconds(5))
      change(&$0)
    }
    server.route("/bad", .status(500))
    _ = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/bad"))) }
    #expect(loader.breakers?.openCount == 1)
    clock.advance(by: .seconds(6))
    return loader
  }

  @Test func anyAnswerShowsThatTheHostIsBack() async throws {
    let loader = await suspending { $0.interceptors = [Passing()] }
    server.route("/none", .status(404))
    _ = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/none"))) }
    #expect(loader.breakers?.openCount == 0)
  }

  @Test func unwantedTypesShowThatTheHostIsBack() async throws {
    let loader = await suspending { $0.contentTypes = ["image/*"] }
    server.route("/text", .body(Data([1]), headers: [("Content-Type", "text/plain")]))
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/text"))) }
    #expect(error?.code == "unacceptableContentType")
    #expect(loader.breakers?.openCount == 0)
  }

  @Test func failuresCountForTheHostThatWasAsked() async throws {
    struct Moving: LoadIntercepting {
      let url: URL
      var identity: String { "to \(url)" }
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        var request = request
        request.source = .url(url)
        return request
      }
    }
    let other = try ScriptedHTTPServer()
    other.route("/cut", .truncated(pattern(10), declared: 100))
    let loader = waits.loader {
      $0.retry = .none
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 1)
      $0.interceptors = [Moving(url: other.url("/cut"))]
    }
    _ = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }
    let error = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/a"))) }
    guard case .hostSuspended(_, let host, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(host == "http://127.0.0.1:\(other.port)" && other.requests.count == 1)
  }
}
