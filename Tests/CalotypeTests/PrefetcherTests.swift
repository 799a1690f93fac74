import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import PipelineSamples
import Testing

@testable import Calotype

/// What will be needed soon is fetched once, a few at a time, and given up when nobody wants it.
@Suite("Prefetcher", .timeLimit(.minutes(10)))
struct PrefetcherTests {
  private let server: ScriptedHTTPServer
  private let folder: CacheFolder
  private let pipeline: ImagePipeline

  init() throws {
    server = try ScriptedHTTPServer()
    folder = try CacheFolder()
    pipeline = ImagePipeline.isolated(disk: folder.diskCache())
  }

  private func request(_ path: String) -> ImageRequest { ImageRequest(url: server.url(path)) }

  private func route(_ paths: [String]) throws {
    let png = try Samples.png()
    for path in paths { server.route(path, .resource(png)) }
  }

  @Test("transfers that the loader gives up fail, and the prefetcher goes on")
  func loaderGivesUp() async throws {
    let curl = CurlLoader()
    let pipeline = ImagePipeline.isolated(loader: LoaderGroup.standard.adding(curl))
    let paths = (0..<3).map { "/\($0)" }
    for path in paths { server.route(path, .hang) }
    let prefetcher = Prefetcher(pipeline)
    let prefetch = prefetcher.prefetch(paths.map(request))
    for path in paths { try await server.waitForRequests(path, count: 1) }
    curl.cancelAll()
    let result = await prefetch.result
    #expect(result.loaded.isEmpty && result.failed.count + result.cancelled.count == 3)
    try route(paths)
    #expect(await prefetcher.prefetch(paths.map(request)).result.loaded.count == 3)
    await pipeline.settle()
  }

  @Test("what could not be stored where it was to go has failed")
  func unstored() async throws {
    try route(["/a"])
    let cache = FaultyCache()
    let pipeline = ImagePipeline(
      .init(loader: Samples.loader, memoryCache: MemoryCache(byteLimit: 1 << 20), diskCache: cache))
    cache.fail(.store, with: .diskFull(path: "/cache"), times: 1)
    let result = await Prefetcher(pipeline, destination: .disk).prefetch([request("/a")]).result
    let error = try #require(result.failed.first?.error as? PipelineError)
    #expect(
      error == .notStored(request("/a").source.description, code: "cacheDiskFull") && !error.isRetryable)
    // There is room again; and memory takes the result, whatever becomes of the disk.
    #expect(await Prefetcher(pipeline, destination: .disk).prefetch([request("/a")]).result.loaded.count == 1)
    cache.fail(.store, with: .diskFull(path: "/cache"), times: 9)
    #expect(await Prefetcher(pipeline).prefetch([request("/a")]).result.failed.isEmpty)
    #expect(pipeline.cachedImage(for: request("/a")) != nil)
    await pipeline.settle()
  }

  @Test("results go to memory; a second prefetch skips them; outcomes are told in lists")
  func memory() async throws {
    try route(["/a", "/b"])
    let prefetcher = Prefetcher(pipeline)
    let requests = [request("/a"), request("/b"), request("/a"), request("/none")]
    let result = await prefetcher.prefetch(requests).result
    #expect(Set(result.loaded) == [request("/a"), request("/b")])
    #expect(result.failed.map(\.request) == [request("/none")])
    #expect((result.failed.first?.error as? LoadingError)?.code == "httpStatus")
    #expect(result.skipped.isEmpty && result.cancelled.isEmpty)
    #expect(pipeline.cachedImage(for: request("/a")) != nil)
    #expect(server.requests(for: "/a").count == 1)

    let again = await prefetcher.prefetch([request("/a"), request("/b")]).result
    #expect(Set(again.skipped) == [request("/a"), request("/b")])
    #expect(server.requests.count == 3)
    await pipeline.settle()
  }

  @Test("for the disk nothing is decoded; what is fresh there is skipped, what is stale is asked for")
  func disk() async throws {
    try route(["/a"])
    let png = try Samples.png()
    server.route("/stale") {
      .resource(png, etag: "\"1\"", for: $0, headers: [("Cache-Control", "max-age=0")])
    }
    let prefetcher = Prefetcher(pipeline, destination: .disk)
    var thumbnail = request("/a")
    thumbnail.thumbnail = .fit(width: 4, height: 4)
    #expect(await prefetcher.prefetch([thumbnail, request("/stale")]).result.loaded.count == 2)
    await pipeline.settle()
    #expect(pipeline.statistics.decodes == 0)
    #expect(pipeline.cachedImage(for: thumbnail) == nil)
    #expect(await pipeline.cache.tiers(of: thumbnail) == .originals)

    #expect(await prefetcher.prefetch([thumbnail, request("/stale")]).result.skipped.count == 2)
    #expect(server.requests(for: "/a").count == 1)
    #expect(server.requests(for: "/stale").map { $0[header: "If-None-Match"] } == [nil, "\"1\""])
    await pipeline.settle()
    #expect(pipeline.statistics.decodes == 0)
  }

  @Test("without a memory cache, results on disk are what counts: they are not decoded to find out")
  func results() async throws {
    try route(["/a"])
    let pipeline = ImagePipeline.isolated(memory: false, disk: folder.diskCache())
    var thumbnail = request("/a")
    thumbnail.thumbnail = .fit(width: 4, height: 4)
    let prefetcher = Prefetcher(pipeline)
    #expect(await prefetcher.prefetch([thumbnail]).result.loaded.count == 1)
    await pipeline.settle()
    #expect(pipeline.statistics.decodes == 1)
    for policy in [ImageRequest.CachePolicy.http, .ignoreHTTPFreshness] {
      thumbnail.cachePolicy = policy
      #expect(await prefetcher.prefetch([thumbnail]).result.skipped.count == 1)
    }
    thumbnail.cachePolicy = .reload
    #expect(await prefetcher.prefetch([thumbnail]).result.loaded.count == 1)
    await pipeline.settle()
    #expect(pipeline.statistics.diskHits == 0)
    #expect(server.requests.count == 2)
  }

  @Test("nothing to do is done at once")
  func empty() async {
    let prefetch = Prefetcher(pipeline).prefetch([ImageRequest]())
    var iterator = prefetch.makeAsyncIterator()
    #expect(await iterator.next() == nil)
    #expect(prefetch.progress.total == 0)
    #expect(await prefetch.result.loaded.isEmpty)
  }

  @Test("equal requests of several calls are one load; one call may leave without hurting the other")
  func shared() async throws {
    let gate = Gate()
    server.route("/a", .gated([(gate, try Samples.png())]))
    let prefetcher = Prefetcher(pipeline)
    let first = prefetcher.prefetch([request("/a")])
    let second = prefetcher.prefetch([request("/a")])
    #expect(prefetcher.runningCount + prefetcher.waitingCount == 1)
    try await server.waitForRequests("/a")
    first.cancel()
    #expect(await first.result.cancelled == [request("/a")])
    gate.open()
    #expect(await second.result.loaded == [request("/a")])
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("three at a time; more when the number is raised, none while paused")
  func concurrency() async throws {
    let gate = Gate()
    let png = try Samples.png()
    let paths = (0..<8).map { "/\($0)" }
    for path in paths { server.route(path, .gated([(gate, png)])) }
    let prefetcher = Prefetcher(pipeline)
    #expect(prefetcher.concurrency == 3 && prefetcher.priority == .low)
    prefetcher.isPaused = true
    let prefetch = prefetcher.prefetch(paths.map { request($0) })
    #expect(prefetcher.waitingCount == 8 && prefetcher.runningCount == 0)
    prefetcher.isPaused = false
    for path in paths[..<3] { try await server.waitForRequests(path) }
    #expect(prefetcher.runningCount == 3 && prefetcher.waitingCount == 5)
    prefetcher.concurrency = 5
    for path in paths[3..<5] { try await server.waitForRequests(path) }
    #expect(prefetcher.runningCount == 5 && prefetcher.waitingCount == 3)
    #expect(server.requests.count == 5)
    prefetcher.isPaused = true
    gate.open()
    var iterator = prefetch.makeAsyncIterator()
    while let progress = await iterator.next() { if progress.finished == 5 { break } }
    #expect(prefetcher.runningCount == 0 && server.requests.count == 5)
    prefetcher.isPaused = false
    #expect(await prefetch.result.loaded.count == 8)
    await pipeline.settle()
  }

  @Test("stopping right after the start gives everything up, and ends every call")
  func stop() async throws {
    let paths = (0..<8).map { "/\($0)" }
    for path in paths { server.route(path, .hang) }
    let prefetcher = Prefetcher(pipeline)
    let prefetches = (0..<4).map { _ in prefetcher.prefetch(paths.map { request($0) }) }
    prefetcher.stop()
    for prefetch in prefetches {
      let progress = prefetch.progress
      #expect(progress.finished == 8 && progress.cancelled == 8)
      #expect(await prefetch.result.cancelled.count == 8)
    }
    await pipeline.settle()
    // It can be used again.
    try route(["/0"])
    #expect(await prefetcher.prefetch([request("/0")]).result.loaded.count == 1)
    await pipeline.settle()
  }

  @Test("stopping closes the connections of what runs")
  func stopRunning() async throws {
    server.route("/a", .hang)
    server.route("/b", .hang)
    let prefetcher = Prefetcher(pipeline)
    let prefetch = prefetcher.prefetch([request("/a"), request("/b")])
    try await server.waitForRequests("/a")
    prefetcher.stop()
    #expect(prefetch.progress.cancelled == 2)
    try await server.waitForDisconnects("/a")
    await pipeline.settle()
  }

  @Test("a prefetch whose value nobody holds goes on until it has ended")
  func discarded() async throws {
    let gate = Gate()
    let png = try Samples.png()
    for path in ["/a", "/b"] { server.route(path, .gated([(gate, png)])) }
    Prefetcher(pipeline).prefetch([server.url("/a")])
    let prefetcher = Prefetcher(pipeline)
    prefetcher.prefetch([request("/b")])
    for path in ["/a", "/b"] { try await server.waitForRequests(path) }
    gate.open()
    // The same again ends with it.
    #expect(await prefetcher.prefetch([request("/a"), request("/b")]).result.failed.isEmpty)
    for path in ["/a", "/b"] { #expect(pipeline.cachedImage(for: request(path)) != nil) }
    #expect(server.requests.count == 2)
    await pipeline.settle()
  }

  @Test("leaving a loop over the progress gives nothing up; stopping does")
  func leaveLoop() async throws {
    try route(["/a"])
    server.route("/b", .hang)
    let prefetcher = Prefetcher(pipeline)
    for await progress in prefetcher.prefetch([request("/a"), request("/b")]) {
      #expect(progress.latest?.request == request("/a"))
      try await server.waitForRequests("/b")
      break
    }
    #expect(prefetcher.runningCount == 1)
    prefetcher.stop()
    try await server.waitForDisconnects("/b")
    await pipeline.settle()
  }

  @Test("cancelling the task that waits for the result gives the rest up", arguments: [true, false])
  func cancelTask(waitsForResult: Bool) async throws {
    server.route("/a", .hang)
    let (server, pipeline, request) = (server, pipeline, request("/a"))
    let task = Task {
      let prefetch = Prefetcher(pipeline).prefetch([request])
      if waitsForResult { return await prefetch.result.cancelled.count }
      for await _ in prefetch {}
      return 1
    }
    try await server.waitForRequests("/a")
    task.cancel()
    #expect(await task.value == 1)
    try await server.waitForDisconnects("/a")
    await pipeline.settle()
  }

  @Test("a foreground load joins the transfer and raises it; the priority falls when it leaves")
  func foreground() async throws {
    let gate = Gate()
    server.route("/a", .gated([(gate, try Samples.png())]))
    let prefetcher = Prefetcher(pipeline)
    let prefetch = prefetcher.prefetch([request("/a")])
    try await server.waitForRequests("/a")
    #expect(await pipeline.priorities == [ImageRequest.Priority.low.taskPriority])
    var urgent = request("/a")
    urgent.priority = .high
    let image = Task { [pipeline] in try await pipeline.image(for: urgent) }
    try await eventually { await pipeline.subscribers >= 2 }
    #expect(await pipeline.priorities == [ImageRequest.Priority.high.taskPriority])
    image.cancel()
    await #expect(throws: CancellationError.self) { try await image.value }
    #expect(await pipeline.priorities == [ImageRequest.Priority.low.taskPriority])
    prefetcher.priority = .veryLow
    #expect(await pipeline.priorities == [ImageRequest.Priority.veryLow.taskPriority])
    gate.open()
    #expect(await prefetch.result.loaded.count == 1)
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("what waits for its turn is fetched by a foreground load, and skipped then")
  func overtaken() async throws {
    try route(["/a"])
    let prefetcher = Prefetcher(pipeline)
    prefetcher.isPaused = true
    let prefetch = prefetcher.prefetch([request("/a")])
    _ = try await pipeline.image(for: request("/a"))
    prefetcher.isPaused = false
    #expect(await prefetch.result.skipped == [request("/a")])
    #expect(server.requests.count == 1)
    await pipeline.settle()
  }

  @Test("a priority that is changed before the start applies from the start")
  func earlyPriority() async throws {
    let gate = Gate()
    server.route("/a", .gated([(gate, try Samples.png())]))
    let prefetcher = Prefetcher(pipeline, destination: .disk)
    prefetcher.isPaused = true
    let prefetch = prefetcher.prefetch([request("/a")])
    prefetcher.priority = .veryHigh
    prefetcher.isPaused = false
    try await server.waitForRequests("/a")
    #expect(await pipeline.priorities == [ImageRequest.Priority.veryHigh.taskPriority])
    gate.open()
    #expect(await prefetch.result.loaded.count == 1)
    await pipeline.settle()
  }

  @Test("progress adds up, names what ended last, and keeps the newest for a slow observer only")
  func progress() async throws {
    try route(["/0", "/1", "/2", "/3", "/4"])
    let prefetcher = Prefetcher(pipeline, concurrency: 1)
    let prefetch = prefetcher.prefetch((0..<5).map { request("/\($0)") })
    var finished: [Int] = []
    for await progress in prefetch {
      #expect(progress.total == 5 && progress.loaded == progress.finished)
      #expect(progress.latest?.request == request("/\(progress.finished - 1)"))
      finished.append(progress.finished)
    }
    #expect(finished == finished.sorted() && finished.last == 5)
    // One that comes late sees the last.
    var late = prefetch.makeAsyncIterator()
    #expect(await late.next()?.finished == 5)
    #expect(await late.next() == nil)
    await pipeline.settle()
  }

  @Test("no more wait than may; the others go on")
  func bound() async throws {
    try route(["/0", "/1", "/2"])
    let prefetcher = Prefetcher(pipeline, maxWaiting: 2)
    prefetcher.isPaused = true
    let prefetch = prefetcher.prefetch((0..<3).map { request("/\($0)") })
    #expect(prefetch.progress.failed == 1)
    prefetcher.isPaused = false
    let result = await prefetch.result
    #expect(result.loaded.count == 2)
    #expect(result.failed.map { ($0.error as? PipelineError)?.code } == ["queueFull"])
    await pipeline.settle()
  }

  @Test("10,000 rounds of a stop amid the ends and a pause amid the starts: one ending for each request")
  func races() async throws {
    let png = try Samples.png()
    let pipeline = ImagePipeline.isolated()
    let prefetcher = Prefetcher(pipeline, concurrency: 2)
    var counts = (loaded: 0, cancelled: 0)
    for round in 0..<10_000 {
      let requests = (0..<4).map {
        // New ones each time; one of them is also wanted by the round before.
        ImageRequest(source: .data(png, id: "\(round * 3 + $0)"), cachePolicy: .loaderOnly)
      }
      let prefetch = prefetcher.prefetch(requests)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          prefetcher.isPaused = true
          prefetcher.isPaused = false
        }
        if round % 2 == 0 {
          // At all moments, from before the first start to after the last end.
          group.addTask {
            for _ in 0..<(round % 50) { await Task.yield() }
            if round % 4 == 0 { prefetcher.stop() } else { prefetch.cancel() }
          }
        }
        group.addTask { prefetcher.concurrency = 1 + round % 3 }
      }
      let result = await prefetch.result
      #expect(result.loaded.count + result.cancelled.count == 4)
      #expect(Set(result.loaded).union(result.cancelled).count == 4)
      if round % 2 == 1 { #expect(result.loaded.count == 4) }
      counts.loaded += result.loaded.count
      counts.cancelled += result.cancelled.count
    }
    #expect(counts.loaded > 20_000 && counts.cancelled > 0)
    try await eventually { prefetcher.runningCount == 0 }
    #expect(prefetcher.waitingCount == 0)
    await pipeline.settle()
  }
}

extension ImagePipeline {
  /// Of the transfers, and what waits to become one.
  fileprivate var priorities: [TaskPriority] { jobs.loads.all.map(\.priority.value) }
}
