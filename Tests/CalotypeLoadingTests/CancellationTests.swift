import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Cancelling loads", .timeLimit(.minutes(1)))
struct CancellationTests {
  let server: ScriptedHTTPServer
  let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 1))

  init() throws {
    server = try ScriptedHTTPServer()
  }

  private func start(_ path: String) -> Task<Data, any Error> {
    let request = LoadRequest(url: server.url(path))
    return Task { try await loader.data(for: request).0 }
  }

  @Test func beforeStart() async throws {
    server.route("/a", .body(Data([1])))
    let gate = Gate()
    let request = LoadRequest(url: server.url("/a"))
    let task = Task {
      try? await gate.wait()
      return try await loader.data(for: request).0
    }
    task.cancel()
    #expect(await wasCancelled(task))
    await loader.settle()
    #expect(server.requests.isEmpty)
    #expect(loader.statistics.started == 0)
  }

  @Test func inTheQueue() async throws {
    server.route("/hang", .hang)
    server.route("/queued", .body(Data([1])))
    let first = start("/hang")
    try await server.waitForRequests("/hang")
    let second = start("/queued")
    while loader.statistics.queued == 0 { await loader.settle() }
    second.cancel()
    #expect(await wasCancelled(second))
    await loader.settle()
    #expect(loader.statistics.queued == 0)
    first.cancel()
    #expect(await wasCancelled(first))
    await loader.settle()
    #expect(server.requests(for: "/queued").isEmpty)
    #expect(loader.statistics.cancelled == 2)
    #expect(loader.statistics.active == 0)
  }

  @Test func waitingForTheHead() async throws {
    server.route("/hang", .hang)
    let task = start("/hang")
    try await server.waitForRequests("/hang")
    task.cancel()
    #expect(await wasCancelled(task))
    try await server.waitForDisconnects("/hang")
  }

  @Test func inTheBody() async throws {
    let sent = Gate()
    server.route(
      "/body",
      ScriptedReply([.head(200, [("Content-Length", "9")]), .bytes(Data([1])), .signal(sent), .hang]))
    let task = start("/body")
    try await sent.wait()
    task.cancel()
    #expect(await wasCancelled(task))
    try await server.waitForDisconnects("/body")
    await loader.settle()
    #expect(loader.statistics.cancelled == 1)
  }

  @Test func afterTheEnd() async throws {
    server.route("/a", .body(pattern(100)))
    let task = start("/a")
    #expect(try await task.value == pattern(100))
    task.cancel()
    await loader.settle()
    #expect(loader.statistics.cancelled == 0)
    #expect(loader.statistics.completed == 1)
    #expect(try await start("/a").value == pattern(100))
    #expect(server.connectionCount == 1)
  }

  @Test func droppedResponse() async throws {
    server.route("/body", .gated([(Gate(), Data([1]))]))
    do {
      let response = try await loader.load(LoadRequest(url: server.url("/body")))
      #expect(response.status == 200)
    }
    try await server.waitForDisconnects("/body")
  }

  @Test func leftLoop() async throws {
    server.route("/body", ScriptedReply([.head(200, [("Content-Length", "9")]), .bytes(Data([1])), .hang]))
    let response = try await loader.load(LoadRequest(url: server.url("/body")))
    for try await _ in response.body { break }
    try await server.waitForDisconnects("/body")
    // Held until here: leaving the loop is what closed it.
    #expect(response.status == 200)
  }

  @Test func queuedTransferTakesOver() async throws {
    server.route("/hang", .hang)
    server.route("/next", .body(Data([1])))
    let first = start("/hang")
    try await server.waitForRequests("/hang")
    let second = start("/next")
    while loader.statistics.queued == 0 { await loader.settle() }
    first.cancel()
    #expect(try await second.value == Data([1]))
    #expect(await wasCancelled(first))
  }

  @Test func manyAtRandomMoments() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 8))
    server.route("/some", .body(pattern(50_000)))
    let request = LoadRequest(url: server.url("/some"))
    let tasks = (0..<400).map { index in
      let task = Task { try await loader.data(for: request).0 }
      return (index, task)
    }
    for (index, task) in tasks {
      if index % 2 == 0 { task.cancel() }
      if index % 16 == 0 { await loader.settle() }
    }
    for (index, task) in tasks {
      switch await task.result {
      case .success(let data): #expect(data == pattern(50_000))
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(index % 2 == 0)
      }
    }
    await loader.settle()
    let figures = loader.statistics
    #expect(figures.active == 0 && figures.queued == 0 && figures.failed == 0)
    #expect(figures.completed + figures.cancelled <= 400)
    #expect(figures.completed >= 200)
  }

  @Test func shutdown() async throws {
    server.route("/hang", .hang)
    server.route("/queued", .hang)
    let running = start("/hang")
    try await server.waitForRequests("/hang")
    let queued = start("/queued")
    while loader.statistics.queued == 0 { await loader.settle() }
    async let end: Void = loader.shutDown()
    let first = await loadingError { _ = try await running.value }
    let second = await loadingError { _ = try await queued.value }
    #expect(first == .loaderClosed(server.url("/hang")))
    #expect(second == .loaderClosed(server.url("/queued")))
    #expect(await loadingError { _ = try await start("/hang").value }?.code == "loaderClosed")
    await end
    #expect(loader.statistics.active == 0)
    // Every connection is closed by now, whether the server has noticed or not.
    try await server.waitForNoConnections()
    await loader.settle()
    await loader.shutDown()
  }

  @Test func releasedLoaderClosesItsConnections() async throws {
    server.route("/a", .body(Data([1])))
    do {
      let own = CurlLoader()
      _ = try await own.data(for: LoadRequest(url: server.url("/a")))
      #expect(server.openConnections == 1)
    }
    try await server.waitForNoConnections()
  }
}
