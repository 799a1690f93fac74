import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

/// A loader that has learnt that its origin takes 20 milliseconds.
private struct Hedged {
  static let time = Duration.milliseconds(20)
  static let known = 4

  let clock = ManualTime()
  let transport = FakeLoader()
  let url: URL
  let loader: HTTPLoader
  /// How often a request waited to become late.
  private let waits = Lock(0)

  var waitCount: Int { waits.withLock { $0 } }

  init(
    share: Double = 1, origin: String = "http://host/",
    _ change: (inout HTTPLoader.Configuration) -> Void = { _ in }
  ) async throws {
    url = try #require(URL(string: "http://host/late"))
    var configuration = HTTPLoader.Configuration()
    configuration.retry = .none
    configuration.failureMemory = nil
    configuration.hedging = HedgingPolicy(share: share, minimumSamples: Self.known)
    change(&configuration)
    let (clock, transport, waits) = (clock, transport, waits)
    loader = HTTPLoader(
      configuration, transport: transport,
      timing: .init(
        now: { clock.instant },
        sleep: { time in
          waits.withLock { $0 += 1 }
          try await clock.clock.sleep(for: time)
        }, random: { 1 }))
    for index in 0..<Self.known {
      let url = try #require(URL(string: "\(origin)\(index)"))
      transport.route(url) { _ in
        clock.advance(by: Self.time)
        return .body(Data([0]))
      }
      _ = try await loader.data(for: LoadRequest(url: url))
    }
  }

  func start(_ request: LoadRequest) -> Task<Data, any Error> {
    Task { try await loader.data(for: request).0 }
  }

  /// Starts a load of the late URL, and lets the time pass after which a second request is sent.
  func late(_ change: (inout LoadRequest) -> Void = { _ in }) async throws -> Task<Data, any Error> {
    var request = LoadRequest(url: url)
    change(&request)
    let task = start(request)
    try await transport.waitForRequests(url)
    try await clock.clock.waitForSleepers()
    clock.advance(by: Self.time)
    return task
  }

  var hedges: Int { loader.statistics.hedges }
  var won: Int { loader.statistics.hedgesWon }
}

@Suite("Hedged requests", .timeLimit(.minutes(1)))
struct HedgingTests {
  private let never = Gate()
  private let gate = Gate()
  private let one = Data([1])
  private let two = Data([2])

  @Test func offByDefault() async throws {
    #expect(HTTPLoader.Configuration().hedging == nil)
    let hedged = try await Hedged { $0.hedging = nil }
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.transport.waitForRequests(hedged.url)
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.waitCount == 0)
  }

  @Test func secondWins() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(never), .body(two))
    let task = try await hedged.late()
    #expect(try await task.value == two)
    #expect(hedged.hedges == 1 && hedged.won == 1)
    #expect(hedged.loader.statistics.requests == Hedged.known + 2)
    // The first has been given up, and nothing of it is left.
    #expect(hedged.transport.cancellations == 1 && hedged.transport.running == 0)
    #expect(hedged.clock.clock.sleeperCount == 0)
  }

  @Test func firstWins() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(gate), .body(two).behind(never))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == 1 && hedged.won == 0)
    #expect(hedged.transport.cancellations == 1 && hedged.transport.running == 0)
  }

  @Test func inTime() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.transport.waitForRequests(hedged.url)
    try await hedged.clock.clock.waitForSleepers()
    hedged.clock.advance(by: Hedged.time - .milliseconds(1))
    #expect(hedged.clock.clock.sleeperCount == 1)
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == 0)
    #expect(hedged.clock.clock.sleeperCount == 0)
  }

  @Test func bodiesAreNotAwaited() async throws {
    let hedged = try await Hedged()
    // The head is in time, the body is not.
    hedged.transport.route(hedged.url, FakeReply([.signal(gate), .wait(never), .bytes(one)]))
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await gate.wait()
    hedged.clock.advance(by: .seconds(60))
    #expect(hedged.clock.clock.sleeperCount == 0)
    never.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == 0)
  }

  // MARK: Failures

  private static let lost = LoadingError.connectionFailed(URL(filePath: "/"), reason: "lost")

  @Test(arguments: [FakeReply.failure(lost), .status(503)])
  func secondAfterAFailure(_ failure: FakeReply) async throws {
    let second = Gate()
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, failure.behind(gate), .body(two).behind(second))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    gate.open()
    // The first has failed by now, and the second decides.
    try await hedged.transport.waitUntilRunning(1)
    second.open()
    #expect(try await task.value == two)
    #expect(hedged.won == 1 && hedged.loader.statistics.retries == 0)
  }

  @Test func firstAfterAFailureOfTheSecond() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(gate), .status(503))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    try await hedged.transport.waitUntilRunning(1)
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == 1 && hedged.won == 0)
  }

  @Test func bothFail() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .status(503).behind(gate), .status(500))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    try await hedged.transport.waitUntilRunning(1)
    gate.open()
    let error = await loadingError { _ = try await task.value }
    #expect(error == .httpStatus(hedged.url, status: 503, headers: HTTPFields()))
  }

  @Test func finalErrorsAreAnswers() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(never), .status(404))
    let task = try await hedged.late()
    let error = await loadingError { _ = try await task.value }
    #expect(error == .httpStatus(hedged.url, status: 404, headers: HTTPFields()))
    #expect(hedged.transport.running == 0)
  }

  @Test func failuresInTimeHaveNoSecond() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .status(503))
    #expect(await loadingError { _ = try await hedged.start(LoadRequest(url: hedged.url)).value } != nil)
    #expect(hedged.transport.requests(for: hedged.url).count == 1)
    #expect(hedged.clock.clock.sleeperCount == 0)
  }

  @Test func cancellation() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(never))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    task.cancel()
    #expect(await wasCancelled(task))
    #expect(hedged.transport.cancellations == 2 && hedged.transport.running == 0)
    // Before the second is sent, its timer is cancelled too.
    let early = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.clock.clock.waitForSleepers()
    early.cancel()
    #expect(await wasCancelled(early))
    #expect(hedged.clock.clock.sleeperCount == 0)
    #expect(hedged.hedges == 1)
  }

  // MARK: Reasons not to

  /// Lets the time pass, and answers; the number of requests shows whether there was a second.
  private func expectNone(_ hedged: Hedged, _ change: (inout LoadRequest) -> Void = { _ in }) async throws {
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    let task = try await hedged.late(change)
    try await eventually { hedged.loader.statistics.hedgesRefused > 0 }
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.transport.requests(for: hedged.url).count == 1)
    #expect(hedged.hedges == 0)
  }

  @Test func nothingSaved() async throws { try await expectNone(Hedged(share: 0.19)) }

  @Test func savedByEarlierRequests() async throws {
    let hedged = try await Hedged(share: 0.2)
    hedged.transport.route(hedged.url, .body(one).behind(never), .body(two))
    #expect(try await hedged.late().value == two)
    // The next one has to be earned again.
    try await expectNextIsAlone(hedged)
  }

  private func expectNextIsAlone(_ hedged: Hedged) async throws {
    let before = hedged.hedges
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.clock.clock.waitForSleepers()
    hedged.clock.advance(by: .seconds(60))
    try await eventually { hedged.loader.statistics.hedgesRefused > 0 }
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == before)
  }

  @Test func openBreaker() async throws {
    let hedged = try await Hedged {
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 1, coolDown: .milliseconds(1))
    }
    let broken = try #require(URL(string: "http://host/broken"))
    hedged.transport.route(broken, .status(503))
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.clock.clock.waitForSleepers()
    // It opens while the first request runs.
    let failing = hedged.start(LoadRequest(url: broken))
    #expect(await loadingError { _ = try await failing.value } != nil)
    hedged.clock.advance(by: Hedged.time)
    try await eventually { hedged.loader.statistics.hedgesRefused > 0 }
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.hedges == 0)
  }

  @Test func probesAreAlone() async throws {
    let hedged = try await Hedged {
      $0.circuitBreaker = CircuitBreakerPolicy(threshold: 1, coolDown: .milliseconds(1))
    }
    let broken = try #require(URL(string: "http://host/broken"))
    hedged.transport.route(broken, .status(503))
    _ = await loadingError { _ = try await hedged.loader.data(for: LoadRequest(url: broken)) }
    hedged.clock.advance(by: .milliseconds(1))
    try await expectNone(hedged)
  }

  @Test func forbidden() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(gate))
    var request = LoadRequest(url: hedged.url)
    request.allowsHedging = false
    let task = hedged.start(request)
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.waitCount == 0)
  }

  @Test func otherSchemes() async throws {
    let hedged = try await Hedged(origin: "bucket://host/")
    let url = try #require(URL(string: "bucket://host/late"))
    hedged.transport.route(url, .body(one).behind(gate))
    let task = hedged.start(LoadRequest(url: url))
    gate.open()
    #expect(try await task.value == one)
    #expect(hedged.waitCount == 0)
  }

  @Test func deadlines() async throws {
    let hedged = try await Hedged()
    hedged.transport.route(hedged.url, .body(one).behind(never), .body(two))
    let task = try await hedged.late { $0.timeouts.total = .seconds(1) }
    #expect(try await task.value == two)
    let times = hedged.transport.requests(for: hedged.url).map(\.timeouts.total)
    #expect(times == [.seconds(1), .seconds(1) - Hedged.time])
    // When it is due, there is no time left.
    try await expectNone(try await Hedged()) { $0.timeouts.total = Hedged.time }
  }

  // MARK: What the requests are

  @Test func conditionalRequests() async throws {
    let hedged = try await Hedged()
    let reply = FakeReply.body(one, headers: [.eTag: "\"v1\""])
    hedged.transport.route(hedged.url, reply.behind(never), reply)
    var request = LoadRequest(url: hedged.url)
    request.validators = .init(etag: "\"v1\"")
    let (conditional, loader) = (request, hedged.loader)
    let task = Task { try await loader.load(conditional).status }
    try await hedged.transport.waitForRequests(hedged.url)
    try await hedged.clock.clock.waitForSleepers()
    hedged.clock.advance(by: Hedged.time)
    #expect(try await task.value == 304)
    #expect(hedged.won == 1)
  }

  @Test func resumptions() async throws {
    let hedged = try await Hedged { $0.retry = RetryPolicy(baseDelay: .zero) }
    let whole = pattern(1_000)
    let headers: HTTPFields = [.eTag: "\"v1\"", .acceptRanges: "bytes"]
    var rest = FakeReply.body(Data(whole[600...]), status: 206, headers: headers)
    rest.headers[.contentRange] = "bytes 600-999/1000"
    hedged.transport.route(
      hedged.url, .body(whole, headers: headers).cut(after: 600), rest.behind(never), rest)
    let task = hedged.start(LoadRequest(url: hedged.url))
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    try await hedged.clock.clock.waitForSleepers()
    hedged.clock.advance(by: Hedged.time)
    #expect(try await task.value == whole)
    let ranges = hedged.transport.requests(for: hedged.url).map { $0.headers[.range] }
    #expect(ranges == [nil, "bytes=600-", "bytes=600-"])
    #expect(hedged.won == 1 && hedged.loader.statistics.continued == 1)
  }

  @Test func interceptorsSeeOneExchange() async throws {
    struct Watching: LoadIntercepting {
      let seen: Lock<[String]>
      let identity = ""
      func request(_ request: LoadRequest) async throws -> LoadRequest {
        seen.withLock { $0.append("request") }
        var request = request
        request.headers[.via] = "watch"
        return request
      }
      func response(_ response: LoadResponse, for request: LoadRequest) async throws -> LoadResponse {
        seen.withLock { $0.append("\(response.status ?? 0)") }
        return response
      }
    }
    let seen = Lock<[String]>([])
    let hedged = try await Hedged { $0.interceptors = [Watching(seen: seen)] }
    seen.withLock { $0 = [] }
    // A status that is no answer, although the transport lets every status through.
    hedged.transport.route(hedged.url, .status(503).behind(gate), .body(two).behind(never))
    let task = try await hedged.late()
    try await hedged.transport.waitForRequests(hedged.url, count: 2)
    gate.open()
    try await hedged.transport.waitUntilRunning(1)
    never.open()
    #expect(try await task.value == two)
    #expect(seen.withLock { $0 } == ["request", "200"])
    #expect(hedged.transport.requests(for: hedged.url).allSatisfy { $0.headers[.via] == "watch" })
  }

  // MARK: Slots of the transport

  @Test func noSlotsBeyondTheLimits() async throws {
    let server = try ScriptedHTTPServer()
    let clock = ManualTime()
    let curl = curlLoader { $0.maxConcurrentPerHost = 1 }
    var configuration = HTTPLoader.Configuration()
    configuration.retry = .none
    configuration.hedging = HedgingPolicy(share: 1, minimumSamples: 1)
    let loader = HTTPLoader(
      configuration, transport: curl,
      timing: .init(now: { clock.instant }, sleep: { try await clock.clock.sleep(for: $0) }, random: { 1 }))
    server.route("/known", .body(one))
    let gate = gate
    server.route("/late") { _ in ScriptedReply([.wait(gate)] + ScriptedReply.body(Data([2])).steps) }
    let (known, late) = (server.url("/known"), server.url("/late"))
    _ = try await loader.data(for: LoadRequest(url: known))
    // A request that waits for a slot is not late yet.
    curl.suspend()
    let task = Task { try await loader.data(for: LoadRequest(url: late)).0 }
    while curl.statistics.queued == 0 { await curl.settle() }
    clock.advance(by: .seconds(60))
    curl.resume()
    try await server.waitForRequests("/late", count: 1)
    try await clock.clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    // The second one finds no slot, and is not sent later either.
    while curl.statistics.failed == 0 { await curl.settle() }
    gate.open()
    #expect(try await task.value == two)
    #expect(server.requests(for: "/late").count == 1)
    #expect(loader.statistics.hedges == 0 && loader.statistics.requests == 2)
    #expect(loader.statistics.hedgesRefused == 1)
    // It has not been spent.
    #expect(loader.hedges?.withLock { $0.spend() } == true)
  }

  @Test func losersFreeTheirConnections() async throws {
    let server = try ScriptedHTTPServer()
    let clock = ManualTime()
    let curl = curlLoader { $0.maxConcurrentPerHost = 2 }
    var configuration = HTTPLoader.Configuration()
    configuration.hedging = HedgingPolicy(share: 1, minimumSamples: 1)
    let loader = HTTPLoader(
      configuration, transport: curl,
      timing: .init(now: { clock.instant }, sleep: { try await clock.clock.sleep(for: $0) }, random: { 1 }))
    server.route("/known", .body(one))
    let count = Lock(0)
    let hangs = Gate()
    server.route("/late") { _ in
      count.withLock { count in
        count += 1
        return count == 1 ? ScriptedReply([.signal(hangs), .hang]) : .body(Data([2]))
      }
    }
    let (known, late) = (server.url("/known"), server.url("/late"))
    _ = try await loader.data(for: LoadRequest(url: known))
    let task = Task { try await loader.data(for: LoadRequest(url: late)) }
    try await hangs.wait()
    try await clock.clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    let (data, response) = try await task.value
    #expect(data == two)
    #expect(response.metrics?.attempts == 2)
    try await server.waitForDisconnects("/late", count: 1)
    await curl.settle()
    #expect(curl.statistics.active == 0 && curl.statistics.cancelled == 1)
    #expect(loader.statistics.hedgesWon == 1)
  }
}
