import CalotypeLoading
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Back-pressure and limits", .timeLimit(.minutes(1)))
struct FlowTests {
  let server: ScriptedHTTPServer

  init() throws {
    server = try ScriptedHTTPServer()
  }

  @Test func slowConsumerHoldsTheServerBack() async throws {
    let loader = curlLoader { $0.highWater = 256 << 10 }
    let bytes = pattern(48 << 20)
    server.route("/big", .body(bytes))
    // Being slow must not count as the server's silence either.
    let request = LoadRequest(url: server.url("/big"), timeouts: LoadRequest.Timeouts(idle: .seconds(2)))
    let response = try await loader.load(request)
    try await server.waitForStalledWrite("/big")
    while loader.statistics.pauses == 0 { await loader.settle() }
    let start = ContinuousClock.now
    while start.duration(to: .now) < .milliseconds(2_200) { await loader.settle() }
    #expect(server.bytesSent("/big") < bytes.count / 2)
    var data = Data()
    for try await chunk in response.body {
      #expect(chunk.count <= 256 << 10)
      data.append(chunk)
    }
    #expect(data == bytes)
    #expect(loader.statistics.peakBufferedBytes <= 256 << 10)
    #expect(loader.statistics.pauses > 1)
  }

  @Test func tinyHighWaterMark() async throws {
    let loader = curlLoader { $0.highWater = 1 }
    let bytes = pattern(1 << 20)
    server.route("/big", .body(bytes))
    #expect(try await loader.data(for: LoadRequest(url: server.url("/big"))).0 == bytes)
    // A write of libcurl is never split.
    #expect(loader.statistics.peakBufferedBytes <= 64 << 10)
  }

  @Test func globalLimit() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 3))
    let gate = Gate()
    server.route("/gated", .gated([(gate, Data([1]))]))
    let request = LoadRequest(url: server.url("/gated"))
    let tasks = (0..<10).map { _ in Task { try await loader.data(for: request).0 } }
    try await server.waitForRequests("/gated", count: 3)
    while loader.statistics.queued < 7 { await loader.settle() }
    #expect(loader.statistics.active == 3)
    #expect(server.requests.count == 3)
    gate.open()
    for task in tasks { #expect(try await task.value == Data([1])) }
    #expect(server.connectionCount == 3)
  }

  @Test func limitPerHostLetsOthersPass() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 4, maxConcurrentPerHost: 2))
    let other = try ScriptedHTTPServer()
    let gate = Gate()
    server.route("/gated", .gated([(gate, Data([1]))]))
    other.route("/free", .body(Data([2])))
    let request = LoadRequest(url: server.url("/gated"))
    let tasks = (0..<5).map { _ in Task { try await loader.data(for: request).0 } }
    while loader.statistics.queued < 3 { await loader.settle() }
    #expect(try await loader.data(for: LoadRequest(url: other.url("/free"))).0 == Data([2]))
    #expect(server.requests.count <= 2)
    #expect(loader.statistics.active == 2)
    gate.open()
    for task in tasks { #expect(try await task.value == Data([1])) }
  }

  /// With the defaults, whatever hosts do that never answer.
  @Test func silentHostsHoldNobodyElseUp() async throws {
    let loader = CurlLoader()
    server.route("/a", .body(Data([2])))
    let silent = try (0..<5).map { _ in try ScriptedHTTPServer() }
    var tasks: [Task<Void, any Error>] = []
    for other in silent {
      other.route("/hang", .hang)
      let url = other.url("/hang")
      for _ in 0..<60 { tasks.append(Task { _ = try await loader.data(for: LoadRequest(url: url)) }) }
    }
    while loader.statistics.queued + loader.statistics.active < 300 { await loader.settle() }
    #expect(loader.statistics.active < 32)
    for _ in 0..<20 {
      #expect(try await loader.data(for: LoadRequest(url: server.url("/a"))).0 == Data([2]))
    }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await wasCancelled(task)) }
    // Until here they were there, and silent.
    #expect(silent.allSatisfy { !$0.requests.isEmpty })
  }

  @Test func oneHostDoesNotFillTheQueue() async throws {
    let loader = curlLoader {
      $0.maxConcurrent = 4
      $0.maxConcurrentPerHost = 1
      $0.maxQueued = 8
    }
    let other = try ScriptedHTTPServer()
    server.route("/hang", .hang)
    other.route("/a", .body(Data([2])))
    let request = LoadRequest(url: server.url("/hang"))
    let tasks = (0..<7).map { _ in Task { try await loader.data(for: request).0 } }
    while loader.statistics.queued < 6 || loader.statistics.active < 1 { await loader.settle() }
    // 6 wait; there is room for so many others.
    let error = await loadingError { _ = try await loader.data(for: request) }
    #expect(error == .queueFull(server.url("/hang"), limit: 6))
    #expect(error?.description.contains("maxQueued") == true)
    #expect(try await loader.data(for: LoadRequest(url: other.url("/a"))).0 == Data([2]))
    #expect(other.requests.count == 1)
    // What leaves makes room, and nothing is remembered of a host that has nothing left.
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await wasCancelled(task)) }
    await loader.settle()
    server.route("/b", .body(Data([3])))
    for _ in 0..<20 {
      #expect(try await loader.data(for: LoadRequest(url: server.url("/b"))).0 == Data([3]))
    }
  }

  @Test func queueIsBounded() async throws {
    let loader = curlLoader {
      $0.maxConcurrent = 1
      $0.maxQueued = 2
    }
    let gate = Gate()
    server.route("/gated", .gated([(gate, Data([1]))]))
    let request = LoadRequest(url: server.url("/gated"))
    let tasks = (0..<3).map { _ in Task { try await loader.data(for: request).0 } }
    while loader.statistics.queued < 2 || loader.statistics.active < 1 { await loader.settle() }
    let error = await loadingError { _ = try await loader.data(for: request) }
    #expect(error == .queueFull(server.url("/gated"), limit: 2))
    #expect(error?.isRetryable == true)
    gate.open()
    for task in tasks { #expect(try await task.value == Data([1])) }
    #expect(try await loader.data(for: request).0 == Data([1]))
  }

  @Test func firstInFirstOut() async throws {
    let loader = CurlLoader(CurlLoader.Configuration(maxConcurrent: 1))
    let gate = Gate()
    server.route("/first", .gated([(gate, Data([1]))]))
    var tasks = [Task { _ = try await loader.data(for: LoadRequest(url: server.url("/first"))) }]
    try await server.waitForRequests("/first")
    for index in 0..<5 {
      server.route("/\(index)", .body(Data([1])))
      tasks.append(Task { _ = try await loader.data(for: LoadRequest(url: server.url("/\(index)"))) })
      while loader.statistics.queued <= index { await loader.settle() }
    }
    gate.open()
    for task in tasks { try await task.value }
    #expect(server.requests.map(\.path) == ["/first", "/0", "/1", "/2", "/3", "/4"])
  }
}
