import CalotypeLoading
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Queue of the loader", .timeLimit(.minutes(1)))
struct LoaderControlTests {
  let server: ScriptedHTTPServer

  init() throws {
    server = try ScriptedHTTPServer()
  }

  /// Answers when the gate opens, and counts how many wait for it at a time.
  private func gated(_ path: String, _ gate: Gate) {
    server.route(path, .gated([(gate, Data([1]))]))
  }

  private func start(
    _ path: String, _ loader: CurlLoader, priority: TaskPriority? = nil
  ) -> Task<Data, any Error> {
    let request = LoadRequest(source: .url(server.url(path)), priority: priority)
    return Task { try await loader.data(for: request).0 }
  }

  /// Starts loads one after the other, each when the one before is in the queue.
  private func queue(
    _ paths: [String], _ loader: CurlLoader, priority: TaskPriority = .medium
  ) async -> [Task<Data, any Error>] {
    var tasks: [Task<Data, any Error>] = []
    for path in paths {
      let before = loader.statistics.queued
      tasks.append(start(path, loader, priority: priority))
      while loader.statistics.queued == before { await loader.settle() }
    }
    return tasks
  }

  @Test func limitsAreObeyedAndChangeLive() async throws {
    let loader = curlLoader {
      $0.maxConcurrent = 3
      $0.maxConcurrentPerHost = 10
    }
    let gates = (0..<12).map { _ in Gate() }
    for index in 0..<12 { gated("/\(index)", gates[index]) }
    let tasks = (0..<12).map { start("/\($0)", loader, priority: .medium) }
    while loader.statistics.active + loader.statistics.queued < 12 { await loader.settle() }
    await loader.settle()
    #expect(loader.statistics.active == 3)
    // Those that run go on; no other starts before there is room under the new limit.
    loader.setLimits(maxConcurrent: 1)
    await loader.settle()
    #expect(loader.statistics.active == 3)
    while server.requests.count < 3 { await loader.settle() }
    let running = server.requests.map(\.path)
    for path in running.prefix(2) { gates[Int(path.dropFirst()) ?? 0].open() }
    while loader.statistics.completed < 2 { await loader.settle() }
    #expect(loader.statistics.active == 1)
    #expect(server.requests.count == 3)
    loader.setLimits(maxConcurrent: 5)
    await loader.settle()
    #expect(loader.statistics.active == 5)
    for gate in gates { gate.open() }
    for task in tasks { #expect(try await task.value == Data([1])) }
    #expect(loader.statistics.completed == 12)
  }

  @Test func limitsPerHostChangeLive() async throws {
    let loader = curlLoader { $0.maxConcurrentPerHost = 1 }
    let gate = Gate()
    for index in 0..<3 { gated("/\(index)", gate) }
    let tasks = (0..<3).map { start("/\($0)", loader) }
    while loader.statistics.active + loader.statistics.queued < 3 { await loader.settle() }
    await loader.settle()
    #expect(loader.statistics.active == 1)
    loader.setLimits(maxConcurrentPerHost: 2)
    await loader.settle()
    #expect(loader.statistics.active == 2)
    gate.open()
    for task in tasks { _ = try await task.value }
  }

  @Test func lastInFirstOut() async throws {
    let loader = curlLoader {
      $0.maxConcurrent = 1
      $0.order = .lifo
    }
    let gate = Gate()
    gated("/0", gate)
    for index in 1..<5 { server.route("/\(index)", .body(Data([1]))) }
    let first = start("/0", loader, priority: .medium)
    try await server.waitForRequests("/0")
    let rest = await queue((1..<5).map { "/\($0)" }, loader)
    gate.open()
    for task in [first] + rest { _ = try await task.value }
    #expect(server.requests.map(\.path) == ["/0", "/4", "/3", "/2", "/1"])
  }

  @Test func prioritiesOvertakeAndRise() async throws {
    let loader = curlLoader { $0.maxConcurrent = 1 }
    let gate = Gate()
    gated("/0", gate)
    for index in 1..<5 { server.route("/\(index)", .body(Data([1]))) }
    let first = start("/0", loader, priority: .medium)
    try await server.waitForRequests("/0")
    var rest = await queue(["/1", "/2"], loader, priority: .medium)
    rest += await queue(["/3"], loader, priority: .high)
    // One that follows its task: somebody who wants it sooner joins.
    let url = server.url("/4")
    let queued = loader.statistics.queued
    let joined = Task(priority: .low) { try await loader.data(for: LoadRequest(url: url)).0 }
    while loader.statistics.queued == queued { await loader.settle() }
    joined.escalatePriority(to: .userInitiated)
    await loader.settle()
    gate.open()
    for task in [first, joined] + rest { _ = try await task.value }
    let order = server.requests.map(\.path)
    #expect(order.first == "/0")
    #expect(Set(order[1...2]) == ["/3", "/4"])
    #expect(Array(order[3...]) == ["/1", "/2"])
  }

  @Test func suspension() async throws {
    let loader = CurlLoader()
    server.route("/a", .body(Data([1])))
    loader.suspend()
    let task = start("/a", loader)
    while loader.statistics.queued == 0 { await loader.settle() }
    #expect(server.requests.isEmpty)
    loader.resume()
    #expect(try await task.value == Data([1]))
  }

  @Test func cancelAll() async throws {
    let loader = curlLoader { $0.maxConcurrent = 1 }
    server.route("/hang", .hang)
    let tasks = [start("/hang", loader), start("/hang", loader)]
    while loader.statistics.active + loader.statistics.queued < 2 { await loader.settle() }
    loader.cancelAll()
    for task in tasks { #expect(await wasCancelled(task)) }
    // It is the transfers that ended, not the loader.
    server.route("/a", .body(Data([1])))
    #expect(try await start("/a", loader).value == Data([1]))
    #expect(loader.statistics.cancelled == 2)
  }

  @Test func drain() async throws {
    let loader = curlLoader { $0.maxConcurrent = 1 }
    let gate = Gate()
    gated("/a", gate)
    server.route("/b", .body(Data([2])))
    let tasks = [start("/a", loader), start("/b", loader)]
    while loader.statistics.active + loader.statistics.queued < 2 { await loader.settle() }
    async let drained = loader.drain(within: .seconds(30))
    while loader.statistics.isAccepting { await loader.settle() }
    let late = await loadingError { _ = try await loader.data(for: LoadRequest(url: server.url("/b"))) }
    #expect(late?.code == "loaderClosed")
    gate.open()
    #expect(await drained)
    #expect(try await tasks[0].value == Data([1]))
    #expect(try await tasks[1].value == Data([2]))
  }

  @Test func drainThatTakesTooLong() async throws {
    let loader = CurlLoader()
    server.route("/hang", .hang)
    let task = start("/hang", loader)
    try await server.waitForRequests("/hang")
    #expect(await !loader.drain(within: .milliseconds(20)))
    #expect(await loadingError { _ = try await task.value }?.code == "loaderClosed")
  }

  /// Every one of them gets its bytes, whatever moment it comes in.
  @Test func loadsAroundTheEndOfOthers() async throws {
    let loader = CurlLoader()
    server.route("/a", .body(pattern(3_000)))
    let request = LoadRequest(url: server.url("/a"))
    for _ in 0..<200 {
      let one = Task { try await loader.data(for: request).0 }
      let other = Task { try await loader.data(for: request).0 }
      other.cancel()
      _ = await other.result
      #expect(try await loader.data(for: request).0 == pattern(3_000))
      #expect(try await one.value == pattern(3_000))
    }
    await loader.settle()
    #expect(loader.statistics.active == 0 && loader.statistics.queued == 0 && loader.statistics.failed == 0)
  }
}
