import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

@Suite("Priorities that live", .timeLimit(.minutes(1)))
struct LivePriorityTests {
  let server: ScriptedHTTPServer
  let loader = curlLoader { $0.maxConcurrent = 1 }
  /// Holds the one connection until the test has made its queue.
  let gate = Gate()

  init() throws {
    server = try ScriptedHTTPServer()
    server.route("/first", .gated([(gate, Data([1]))]))
    for index in 0..<4 { server.route("/\(index)", .body(Data([1]))) }
  }

  private func start(
    _ path: String, _ priority: LivePriority?, _ loader: (any ImageLoading)? = nil
  ) -> Task<Data, any Error> {
    var request = LoadRequest(url: server.url(path))
    request.livePriority = priority
    let loader = loader ?? self.loader
    return Task { [request] in try await loader.data(for: request).0 }
  }

  /// Loads of `/0`, `/1` … wait behind one that runs, in this order, as `change` leaves them. The order in which they
  /// were sent.
  private func order(
    _ priorities: [LivePriority], through group: (any ImageLoading)? = nil,
    _ change: () async throws -> Void
  ) async throws -> [String] {
    var tasks = [start("/first", nil)]
    try await server.waitForRequests("/first")
    for (index, priority) in priorities.enumerated() {
      tasks.append(start("/\(index)", priority, group))
      while loader.statistics.queued == index { await loader.settle() }
    }
    await loader.settle()
    try await change()
    await loader.settle()
    gate.open()
    for task in tasks { _ = try await task.value }
    return server.requests.dropFirst().map(\.path)
  }

  @Test func risesAndFallsWhileItWaits() async throws {
    let priorities = (0..<4).map { _ in LivePriority(.medium) }
    let order = try await order(priorities) {
      priorities[2].set(.high)
      priorities[0].set(.low)
    }
    #expect(order == ["/2", "/1", "/3", "/0"])
    #expect(priorities.allSatisfy { $0.observerCount == 0 })
  }

  @Test func isReadWhenTheLoadBegins() async throws {
    let priorities = [LivePriority(.low), LivePriority(.medium), LivePriority(.high)]
    #expect(try await order(priorities) {} == ["/2", "/1", "/0"])
  }

  @Test func winsOverTheOneThatDoesNotChange() async throws {
    let priorities = [LivePriority(.medium), LivePriority(.medium)]
    var request = LoadRequest(source: .url(server.url("/1")), priority: .background)
    request.livePriority = priorities[1]
    #expect(
      Transfer(
        url: server.url("/1"),
        target: try HTTPRequestStep(server.url("/1"), for: request, loader.configuration),
        request: request, core: try #require(loader.engine as? CurlCore), loader: loader
      ).priority == TaskPriority.medium.rawValue)
  }

  @Test func theLastOfManyChangesCounts() async throws {
    let priorities = (0..<3).map { _ in LivePriority(.medium) }
    let order = try await order(priorities) {
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { @concurrent in
            for round in 0..<500 {
              priorities[0].set(round % 2 == 0 ? .high : .background)
              priorities[2].set(round % 3 == 0 ? .background : .high)
            }
          }
        }
      }
      priorities[0].set(.low)
      priorities[2].set(.high)
    }
    #expect(order == ["/2", "/1", "/0"])
  }

  @Test func whoCameBackGoesBehindThoseThatStayed() async throws {
    let priorities = (0..<3).map { _ in LivePriority(.medium) }
    let order = try await order(priorities) {
      priorities[0].set(.high)
      await loader.settle()
      priorities[0].set(.medium)
    }
    #expect(order == ["/1", "/2", "/0"])
  }

  @Test func changesOfWhatRunsOrIsOverAreHarmless() async throws {
    let priority = LivePriority(.medium)
    let running = start("/first", priority)
    try await server.waitForRequests("/first")
    await loader.settle()
    #expect(priority.observerCount == 0)
    priority.set(.high)
    await loader.settle()
    gate.open()
    #expect(try await running.value == Data([1]))
    priority.set(.low)
    await loader.settle()
    #expect(try await start("/0", priority).value == Data([1]))
  }

  @Test func nobodyObservesAfterTheEnd() async throws {
    let priorities = (0..<3).map { _ in LivePriority(.medium) }
    let first = start("/first", nil)
    try await server.waitForRequests("/first")
    var timing = LoadRequest(url: server.url("/0"), timeouts: LoadRequest.Timeouts(total: .milliseconds(1)))
    timing.livePriority = priorities[0]
    let timedOut = await loadingError { [timing] in _ = try await loader.data(for: timing) }
    #expect(timedOut?.code == "timedOut")
    let cancelled = start("/1", priorities[1])
    let closed = start("/2", priorities[2])
    while loader.statistics.queued < 2 { await loader.settle() }
    await loader.settle()
    #expect(priorities.map(\.observerCount) == [0, 1, 1])
    cancelled.cancel()
    #expect(await wasCancelled(cancelled))
    await loader.settle()
    #expect(priorities.map(\.observerCount) == [0, 0, 1])
    await loader.shutDown()
    #expect(await loadingError { _ = try await closed.value }?.code == "loaderClosed")
    #expect(priorities.map(\.observerCount) == [0, 0, 0])
    for priority in priorities { priority.set(.high) }
    _ = await first.result
  }

  /// Makes a request of its own, as an interceptor may.
  private struct Rewriting: LoadIntercepting {
    let identity = "rewriting"
    func request(_ request: LoadRequest) async throws -> LoadRequest {
      LoadRequest(source: request.source, headers: [.userAgent: "other"])
    }
  }

  @Test func survivesInterceptorsRetriesAndFallbacks() async throws {
    let priorities = (0..<2).map { _ in LivePriority(.medium) }
    var configuration = HTTPLoader.Configuration()
    configuration.interceptors = [Rewriting()]
    let seen = Lock<[LivePriority?]>([])
    let unavailable = server.url("/unavailable")
    let transport = ClosureLoader(
      scheme: "http",
      load: { request in
        let count = seen.withLock { seen in
          seen.append(request.livePriority)
          return seen.count
        }
        if count == 1 { throw LoadingError.httpStatus(unavailable, status: 503, headers: HTTPFields()) }
        if count == 2 { throw LoadingError.httpStatus(unavailable, status: 404, headers: HTTPFields()) }
        return LoadResponse(ScriptedBody([.bytes(Data([7]))]))
      })
    let retrying = HTTPLoader(configuration, transport: transport, timing: Waits().timing)
    var request = LoadRequest(url: server.url("/0"), fallbacks: [server.url("/1")])
    request.livePriority = priorities[0]
    #expect(try await retrying.data(for: request).0 == Data([7]))
    #expect(seen.withLock { $0.map { $0 === priorities[0] } } == [true, true, true])
    // And is obeyed there, by a loader that does not remember the failures above.
    configuration.failureMemory = nil
    let group = LoaderGroup([HTTPLoader(configuration, transport: loader)])
    let order = try await order(priorities, through: group) { priorities[1].set(.high) }
    #expect(order == ["/1", "/0"])
  }

  @Test func isNoPartOfWhatIsAskedFor() {
    var request = LoadRequest(url: server.url("/0"))
    let other = request
    request.livePriority = LivePriority(.high)
    #expect(request == other)
  }
}
